import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { lineOf } from './launch-error';
import type { Report } from './services/progress';
import { runToEnd } from './services/run-to-end';
import { projectFolder } from './services/state-folder';

const sampleSchema = z.object({
  taskId: z.string(),
  /** The command that lists the waiting task, with a development token. */
  curl: z.string(),
});

/** What the sample says about the approval that it has started. */
export type Sample = z.infer<typeof sampleSchema>;

/**
 * Starts the sample approval in a process of its own, as any parent workflow would be started.
 * The stack is of use without it, so a failure is reported and not thrown.
 */
export async function startSample(
  environment: NodeJS.ProcessEnv,
  report: Report,
): Promise<Sample | null> {
  const script = join(projectFolder, 'examples', 'start-sample.ts');
  if (!existsSync(script)) return null;
  const result = await runToEnd(process.execPath, ['--import', 'tsx', script], {
    cwd: projectFolder,
    env: environment,
  });
  try {
    const line = result.output
      .split('\n')
      .reverse()
      .find((text) => text.startsWith('{'));
    return sampleSchema.parse(JSON.parse(line ?? ''));
  } catch (error) {
    const reason = result.code === 0 ? lineOf(error) : result.output.trim();
    report(`The sample approval could not be started: ${reason}`);
    return null;
  }
}
