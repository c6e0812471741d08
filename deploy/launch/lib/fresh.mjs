import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { Failure } from './project.mjs';

/**
 * @param {string} url of a server that is about to be started
 * @param {string} setting what gives it another address
 */
export async function refuseIfTaken(url, setting) {
  const { hostname, port } = new URL(url);
  const taken = await new Promise((resolve) => {
    const socket = connect(Number(port), hostname);
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
  if (taken)
    throw new Failure(
      `${hostname}:${port} is taken. Is another one running? ${setting} gives this one another address.`,
    );
}

/**
 * Removes a folder of an earlier run. A PostgreSQL that outlived a killed run is ended first: it would go on writing into
 * files that are gone.
 * @param {string} folder
 */
export async function clearFolder(folder) {
  if (!existsSync(folder)) return;
  for (const file of readdirSync(folder, { recursive: true })) {
    if (!file.endsWith('postmaster.pid')) continue;
    const [pid, dataDirectory] = readFileSync(join(folder, file), 'utf8').split('\n');
    if (isPostgresOf(Number(pid), dataDirectory)) await end(Number(pid));
  }
  rmSync(folder, { recursive: true, force: true });
}

/** A pid of an earlier boot may belong to anybody by now. */
function isPostgresOf(pid, dataDirectory) {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(dataDirectory);
  } catch {
    return false;
  }
}

/** SIGQUIT is PostgreSQL's immediate end: nothing of this database is needed any more. */
async function end(pid) {
  const alive = () => {
    try {
      return process.kill(pid, 0);
    } catch {
      return false;
    }
  };
  process.kill(pid, 'SIGQUIT');
  for (let waited = 0; alive() && waited < 5_000; waited += 50) await new Promise((resolve) => setTimeout(resolve, 50));
}
