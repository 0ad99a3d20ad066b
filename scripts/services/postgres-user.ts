import { execFileSync } from 'node:child_process';
import { chownSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { LaunchError } from '../launch-error';

/** The user that PostgreSQL runs as when the launcher is root, which PostgreSQL refuses. */
export interface PostgresUser {
  readonly uid: number;
  readonly gid: number;
}

/** How to run a command as PostgreSQL's user. */
export interface CommandAsUser {
  readonly command: string;
  readonly args: readonly string[];
  readonly uid?: number;
  readonly gid?: number;
}

/** Root's stand-in for PostgreSQL, made when the system has none; null when we are not root. */
export function postgresUser(): PostgresUser | null {
  if (process.getuid?.() !== 0) return null;
  const found = idsOf('postgres');
  if (found !== null) return found;
  try {
    execFileSync('useradd', ['--system', '--user-group', '--no-create-home', 'postgres']);
  } catch (error) {
    throw new LaunchError(
      'PostgreSQL refuses to run as root and no user "postgres" could be made; add one with ' +
        '"useradd --system postgres", start as another user, or set DATABASE_URL.',
      { cause: error },
    );
  }
  const made = idsOf('postgres');
  if (made === null)
    throw new LaunchError('The user "postgres" could not be made; set DATABASE_URL.');
  return made;
}

/** Gives a folder to PostgreSQL's user. */
export function giveTo(user: PostgresUser | null, folder: string): void {
  if (user !== null) chownSync(folder, user.uid, user.gid);
}

/**
 * Turns a command into one that runs as PostgreSQL's user. Where that user may not enter a folder on
 * the way (a clone under /root, say), it gets the one capability that lets it, so that data and
 * programs can stay in the clone.
 * @param paths - files and folders that the command needs
 */
export function asPostgresUser(
  user: PostgresUser | null,
  command: string,
  args: readonly string[],
  paths: readonly string[],
): CommandAsUser {
  if (user === null) return { command, args };
  const closed = [command, ...paths].map(closedFolderOn).find((folder) => folder !== null);
  if (closed === undefined) return { command, args, ...user };
  // Without the secure bit, access(2) would ignore the capability and initdb miss its own programs.
  const identity = [`--reuid=${user.uid}`, `--regid=${user.gid}`, '--clear-groups'];
  const mayPass = ['--inh-caps=+dac_override', '--ambient-caps=+dac_override'];
  const asUser = ['--securebits=+no_setuid_fixup', ...identity, ...mayPass, '--'];
  try {
    execFileSync('setpriv', [...asUser, 'true'], { stdio: 'ignore' });
  } catch (error) {
    throw new LaunchError(
      `PostgreSQL runs as user "postgres", which may not enter ${closed}; allow it with ` +
        `"chmod o+x ${closed}", move the project, or set DATABASE_URL.`,
      { cause: error },
    );
  }
  return { command: 'setpriv', args: [...asUser, command, ...args] };
}

/** The topmost folder above `path` that other users may not enter, or null. */
export function closedFolderOn(path: string): string | null {
  const parent = dirname(path);
  const above = parent === path ? null : closedFolderOn(parent);
  if (above !== null) return above;
  return (statSync(parent).mode & 0o001) === 0 ? parent : null;
}

function idsOf(name: string): PostgresUser | null {
  try {
    const id = (flag: string): number =>
      Number(execFileSync('id', [flag, name], { encoding: 'utf8', stdio: 'pipe' }));
    return { uid: id('-u'), gid: id('-g') };
  } catch {
    return null;
  }
}
