import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

const environmentSchema = z.record(z.string(), z.string());

/** Where `npm start` writes the settings of its programs, for commands that are run beside it. */
const stackFile = (stateRoot: string): string => join(stateRoot, 'stack.json');

/** The variables that the programs read; whatever else the shell holds is nobody's business here. */
const OURS = /^(COUNTERSIGN_|TEMPORAL_|DATABASE_|NODE_ENV$|LOG_LEVEL$)/;

/** Writes the settings of the running programs. The password of the database is among them: for the owner only. */
export function writeStackFile(stateRoot: string, environment: NodeJS.ProcessEnv): void {
  const file = stackFile(stateRoot);
  const settings = Object.entries(environment).filter(([name]) => OURS.test(name));
  writeFileSync(file, `${JSON.stringify(Object.fromEntries(settings), null, 2)}\n`, {
    mode: 0o600,
  });
}

/** Settings of the stack that last ran on this state; empty when none did. */
export function readStackFile(stateRoot: string): Readonly<Record<string, string>> {
  const file = stackFile(stateRoot);
  return existsSync(file) ? environmentSchema.parse(JSON.parse(readFileSync(file, 'utf8'))) : {};
}
