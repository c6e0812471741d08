import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

const LOCAL_ADDRESS = 1;
const INODE = 9;

/**
 * The id of the process that has this port of the loopback interface open, by the kernel's own tables (proc(5)).
 * @returns undefined where that cannot be told: not Linux, another machine or network namespace, or no right to look
 */
export function processWithPort(port: number): number | undefined {
  try {
    const inode = inodeOf(port);
    return inode === undefined ? undefined : ownerOf(`socket:[${inode}]`);
  } catch {
    return undefined;
  }
}

function inodeOf(port: number): string | undefined {
  const wanted = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  return readFileSync('/proc/net/tcp', 'utf8')
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .find((columns) => columns[LOCAL_ADDRESS]?.endsWith(wanted) === true && columns[INODE] !== '0')?.[INODE];
}

function ownerOf(socket: string): number | undefined {
  for (const entry of readdirSync('/proc')) {
    if (/^\d+$/.test(entry) && hasOpen(entry, socket)) return Number(entry);
  }
  return undefined;
}

function hasOpen(process: string, socket: string): boolean {
  try {
    return readdirSync(`/proc/${process}/fd`).some((fd) => readlinkSync(`/proc/${process}/fd/${fd}`) === socket);
  } catch {
    return false; // it has ended, closed the file, or belongs to somebody else
  }
}
