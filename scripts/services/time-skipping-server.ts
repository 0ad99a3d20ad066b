import { chmodSync, existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { LaunchError, lineOf } from '../launch-error';
import { findExecutable } from './find-executable';
import { withProgress, type Report } from './progress';
import { runToEnd } from './run-to-end';
import { downloadWithSdk, downloadsAreReachable } from './sdk-download';
import { cacheFolders } from './state-folder';

const folderName = 'test-server';
const wrapperName = 'temporal-test-server';

/**
 * Finds Temporal's time-skipping test server: in the cache folders, downloaded by the SDK, or
 * from Maven Central with Maven and Java, in this order.
 * @returns path of an executable that takes a port as its argument
 * @throws {LaunchError} when every way is closed
 */
export async function timeSkippingExecutable(report: Report): Promise<string> {
  const cached = cacheFolders()
    .map((folder) => join(folder, folderName, wrapperName))
    .find((file) => existsSync(file));
  if (cached !== undefined) return cached;
  const folder = join(cacheFolders()[0], folderName);
  const target = join(folder, wrapperName);
  if (!(await download(folder, target, report))) await takeFromMaven(folder, report);
  return target;
}

async function download(folder: string, target: string, report: Report): Promise<boolean> {
  if (!(await downloadsAreReachable())) return false;
  try {
    const file = await withProgress(
      report,
      'downloading the time-skipping test server',
      downloadWithSdk('time-skipping', join(cacheFolders()[0], 'download')),
    );
    mkdirSync(folder, { recursive: true });
    chmodSync(file, 0o755);
    renameSync(file, target);
    return true;
  } catch (error) {
    // There is no build of it for every system; the one for Java runs everywhere.
    report(`The download of the test server failed (${lineOf(error)}); using Maven Central.`);
    return false;
  }
}

async function takeFromMaven(folder: string, report: Report): Promise<void> {
  const maven = findExecutable('mvn');
  const java = findExecutable('java');
  if (maven === null || java === null) {
    throw new LaunchError(
      'The time-skipping test server can neither be downloaded nor taken from Maven Central: ' +
        `${maven === null ? 'mvn' : 'java'} is missing; install Maven and Java 11 or newer ` +
        '(Debian: apt-get install maven default-jre-headless).',
    );
  }
  const unfinished = `${folder}.${process.pid}`;
  mkdirSync(unfinished, { recursive: true });
  const pom = join(unfinished, 'pom.xml');
  writeFileSync(pom, projectDescription);
  const result = await withProgress(
    report,
    'getting the time-skipping test server from Maven Central',
    runToEnd(maven, [
      ...['-q', '-B', '-f', pom, 'dependency:copy-dependencies'],
      `-DoutputDirectory=${join(unfinished, 'lib')}`,
    ]),
  );
  if (result.code !== 0) {
    rmSync(unfinished, { recursive: true, force: true });
    const reason = result.output.split('\n').find((line) => line.includes('ERROR'));
    throw new LaunchError(
      `Maven could not get the time-skipping test server (${reason ?? 'no reason given'}); ` +
        'check that Maven Central can be reached and try again.',
    );
  }
  writeFileSync(join(unfinished, wrapperName), wrapper);
  chmodSync(join(unfinished, wrapperName), 0o755);
  rmSync(folder, { recursive: true, force: true });
  renameSync(unfinished, folder);
}

const wrapper = `#!/bin/sh
# Runs Temporal's test server on the port given as the first argument.
here=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)
exec java -cp "$here/lib/*" io.temporal.testserver.TestServer "$1"
`;

const projectDescription = `<?xml version="1.0" encoding="UTF-8"?>
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>countersign</groupId>
  <artifactId>test-server</artifactId>
  <version>1</version>
  <packaging>pom</packaging>
  <dependencies>
    <dependency>
      <groupId>io.temporal</groupId>
      <artifactId>temporal-test-server</artifactId>
      <version>1.35.0</version>
    </dependency>
    <dependency>
      <groupId>org.slf4j</groupId>
      <artifactId>slf4j-nop</artifactId>
      <version>1.7.36</version>
    </dependency>
  </dependencies>
</project>
`;
