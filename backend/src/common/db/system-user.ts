import { readFileSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/** A user of the system that PostgreSQL may run as. */
export interface SystemUser {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
}

/** PostgreSQL refuses to run as root; these are the users it may run as instead, best first. */
const CANDIDATES = ['postgres', 'nobody'];

/** Whom PostgreSQL must run as: undefined for an ordinary user, who runs it itself. */
export function unprivilegedUser(passwdFile = '/etc/passwd'): SystemUser | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const users = readFileSync(passwdFile, 'utf8')
    .split('\n')
    .map((line) => line.split(':'))
    .map(([name = '', , uid, gid]) => ({ name, uid: Number(uid), gid: Number(gid) }));
  for (const candidate of CANDIDATES) {
    const user = users.find(({ name, uid }) => name === candidate && uid > 0);
    if (user) return user;
  }
  // Any number will do: PostgreSQL needs no entry in the list of users.
  return { name: '65534', uid: 65_534, gid: 65_534 };
}

/** Whether `user` may reach `path` through all directories above it. */
export function canReach(user: SystemUser, path: string): boolean {
  for (let dir = dirname(path); ; dir = dirname(dir)) {
    const { mode, uid, gid } = statSync(dir);
    const bit = uid === user.uid ? 0o100 : gid === user.gid ? 0o010 : 0o001;
    if ((mode & bit) === 0) return false;
    if (dir === dirname(dir)) return true;
  }
}
