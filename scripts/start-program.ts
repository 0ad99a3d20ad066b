import { join } from 'node:path';
import { startProcess, untilReady, type ManagedProcess } from './services/managed-process';
import { projectFolder, type StateFolder } from './services/state-folder';

/** A program of this repository that runs until it is stopped. */
export interface Program {
  readonly name: string;
  /** Path of its entry point in the repository. */
  readonly script: string;
  /** Port at which it answers `GET /readyz`; null when nothing waits for it. */
  readonly port: number | null;
  readonly environment: NodeJS.ProcessEnv;
}

/** Starts a program and waits until it is ready; stops it again when it does not become ready. */
export async function startProgram(state: StateFolder, program: Program): Promise<ManagedProcess> {
  const child = await startProcess(state, {
    name: program.name,
    command: process.execPath,
    args: ['--import', 'tsx', join(projectFolder, program.script)],
    cwd: projectFolder,
    env: program.environment,
  });
  const { port } = program;
  try {
    if (port !== null) await untilReady(child, () => isReady(port), 60_000);
    return child;
  } catch (error) {
    await child.stop();
    throw error;
  }
}

async function isReady(port: number): Promise<boolean> {
  const signal = AbortSignal.timeout(2_000);
  return (await fetch(`http://127.0.0.1:${port}/readyz`, { signal })).ok;
}
