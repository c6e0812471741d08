import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

const LOCAL_ADDRESS = 1;
const REMOTE_ADDRESS = 2;
const INODE = 9;

/** The ports of a TCP connection, as the client sees them. */
export interface PortPair {
  readonly local: number;
  /** Linux gives one local port to several connections that lead to different ones. */
  readonly remote: number;
}

/**
 * The id of the process that has the client's end of a connection over IPv4 open, by the kernel's own tables (proc(5)).
 * @returns undefined where that cannot be told: not Linux, another machine or network namespace, or no right to look
 */
export function clientProcess(ports: PortPair): number | undefined {
  try {
    const inode = inodeOf(ports);
    return inode === undefined ? undefined : ownerOf(`socket:[${inode}]`);
  } catch {
    return undefined;
  }
}

function inodeOf({ local, remote }: PortPair): string | undefined {
  const [localEnd, remoteEnd] = [endOf(local), endOf(remote)];
  return readFileSync('/proc/net/tcp', 'utf8')
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .find(
      (columns) =>
        columns[LOCAL_ADDRESS]?.endsWith(localEnd) === true &&
        columns[REMOTE_ADDRESS]?.endsWith(remoteEnd) === true &&
        columns[INODE] !== '0',
    )?.[INODE];
}

/** How an address with this port ends in the kernel's table. */
function endOf(port: number): string {
  return `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
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
