import { chmodSync, mkdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { LaunchError, lineOf } from '../launch-error';
import { findExecutable } from './find-executable';
import { withProgress, type Report } from './progress';
import { runToEnd } from './run-to-end';
import { downloadWithSdk, downloadsAreReachable } from './sdk-download';
import { cacheFolders } from './state-folder';

/** A Temporal command line that can run the development server. */
export interface TemporalExecutable {
  readonly path: string;
  /** As it names itself, for example "1.5.1 (Server 1.29.1, UI 2.42.1)". */
  readonly version: string;
}

const cliPackage = 'github.com/temporalio/cli/cmd/temporal';

/**
 * Finds Temporal's command line: on PATH, in the cache folders, downloaded by the SDK, or built
 * with Go, in this order.
 * @param cliVersion - version to build; a found or downloaded one may be newer
 * @throws {LaunchError} when every way is closed
 */
export async function temporalExecutable(
  cliVersion: string,
  report: Report,
): Promise<TemporalExecutable> {
  const folders = cacheFolders().map((folder) => join(folder, 'bin'));
  const found = findExecutable('temporal') ?? findExecutable('temporal', folders);
  if (found !== null) return { path: found, version: await versionOf(found) };
  const target = join(cacheFolders()[0], 'bin', 'temporal');
  mkdirSync(join(cacheFolders()[0], 'bin'), { recursive: true });
  const downloaded = await download(target, report);
  if (!downloaded) await build(cliVersion, target, report);
  return { path: target, version: await versionOf(target) };
}

async function download(target: string, report: Report): Promise<boolean> {
  if (!(await downloadsAreReachable())) {
    report('The Temporal server cannot be downloaded from here; building it instead.');
    return false;
  }
  try {
    const file = await withProgress(
      report,
      'downloading the Temporal server',
      downloadWithSdk('dev-server', join(cacheFolders()[0], 'download')),
    );
    chmodSync(file, 0o755);
    renameSync(file, target);
    return true;
  } catch (error) {
    report(`The download of the Temporal server failed (${lineOf(error)}); building it instead.`);
    return false;
  }
}

async function build(cliVersion: string, target: string, report: Report): Promise<void> {
  const go = findExecutable('go', ['/usr/local/go/bin']);
  if (go === null) {
    throw new LaunchError(
      'No Temporal server found: install the Temporal CLI (https://docs.temporal.io/cli) or ' +
        'Go 1.24 or newer (https://go.dev/dl), or set TEMPORAL_ADDRESS to a running server.',
    );
  }
  report(`Building the Temporal server ${cliVersion} with Go; once, about 3 minutes on two cores.`);
  // Into a folder beside its place and then renamed, so that an interrupted build is never found.
  const folder = join(target, '..', `build-${process.pid}`);
  const result = await withProgress(
    report,
    'building the Temporal server',
    runToEnd(go, ['install', `${cliPackage}@${cliVersion}`], {
      env: { ...process.env, GOBIN: folder, GOFLAGS: '-modcacherw' },
    }),
  );
  if (result.code !== 0) {
    const last = result.output.trim().split('\n').at(-1) ?? 'no output';
    throw new LaunchError(
      `Building the Temporal server failed (${last}); install the Temporal CLI ` +
        '(https://docs.temporal.io/cli) or set TEMPORAL_ADDRESS to a running server.',
    );
  }
  renameSync(join(folder, 'temporal'), target);
}

async function versionOf(path: string): Promise<string> {
  const result = await runToEnd(path, ['--version']);
  if (result.code !== 0) {
    throw new LaunchError(
      `${path} does not run (${result.output.trim().split('\n')[0] ?? 'no output'}); remove it.`,
    );
  }
  return result.output.trim().replace(/^temporal version /, '');
}
