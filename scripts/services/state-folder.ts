import { mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { setting } from '../setting';

/** Everything that the launcher keeps, in one folder that git ignores. */
export interface StateFolder {
  readonly root: string;
  /** Home of PostgreSQL: its data lies in `data`, made and owned by PostgreSQL's user. */
  readonly postgres: string;
  /** File in which the Temporal development server keeps its state. */
  readonly temporalFile: string;
  /** Secrets made on the first start, each readable by its owner only. */
  readonly keys: string;
  readonly logs: string;
  /** One record per running process, so that the next start finds what a killed one left. */
  readonly run: string;
}

/** Folder of the clone. */
export const projectFolder = resolve(__dirname, '..', '..');

/** Names the places under `root` and makes the folders that are missing. */
export function openStateFolder(root: string): StateFolder {
  const state = {
    root,
    postgres: join(root, 'postgres'),
    temporalFile: join(root, 'temporal', 'temporal.db'),
    keys: join(root, 'keys'),
    logs: join(root, 'logs'),
    run: join(root, 'run'),
  };
  for (const folder of [root, state.postgres, state.logs, state.run, join(root, 'temporal')]) {
    mkdirSync(folder, { recursive: true });
  }
  mkdirSync(state.keys, { recursive: true, mode: 0o700 });
  return state;
}

/** The state folder of `npm start`: COUNTERSIGN_STATE, or `.countersign` in the clone. */
export function defaultStateRoot(): string {
  return resolve(setting('COUNTERSIGN_STATE') ?? join(projectFolder, '.countersign'));
}

/**
 * Folders in which downloaded or built programs are looked for, first match wins; new ones go into
 * the first. The second is shared by every clone of one user, which saves them the build.
 */
export function cacheFolders(): readonly [string, ...string[]] {
  const project = join(projectFolder, '.countersign', 'cache');
  const shared = join(setting('XDG_CACHE_HOME') ?? join(homedir(), '.cache'), 'countersign');
  const chosen = setting('COUNTERSIGN_CACHE');
  return chosen === undefined ? [project, shared] : [resolve(chosen), project, shared];
}
