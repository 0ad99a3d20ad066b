import { mkdirSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { TestWorkflowEnvironment } from '@temporalio/testing';

/** A server that the SDK can download by itself. */
export type DownloadableServer = 'dev-server' | 'time-skipping';

/**
 * True when Temporal's download site answers within five seconds. The SDK has no limit of its own
 * and would hang where the network swallows packets.
 */
export async function downloadsAreReachable(): Promise<boolean> {
  try {
    const answer = await fetch('https://temporal.download/cli/default?platform=linux&arch=amd64', {
      signal: AbortSignal.timeout(5_000),
    });
    return answer.ok;
  } catch {
    return false;
  }
}

/**
 * Lets the SDK download a server: it has no call for that alone, so the server is started once and
 * stopped.
 * @param folder - where the SDK puts it
 * @returns path of the downloaded executable
 */
export async function downloadWithSdk(kind: DownloadableServer, folder: string): Promise<string> {
  const downloadDir = join(folder, kind);
  mkdirSync(downloadDir, { recursive: true });
  const server = { executable: { type: 'cached-download', downloadDir } } as const;
  const environment =
    kind === 'dev-server'
      ? await TestWorkflowEnvironment.createLocal({ server })
      : await TestWorkflowEnvironment.createTimeSkipping({ server });
  await environment.teardown();
  const [newest] = readdirSync(downloadDir)
    .map((name) => join(downloadDir, name))
    .sort((one, other) => statSync(other).mtimeMs - statSync(one).mtimeMs);
  if (newest === undefined) throw new Error(`the SDK left no file in ${downloadDir}`);
  return newest;
}
