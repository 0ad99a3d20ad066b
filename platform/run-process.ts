import { readConfig, type Config } from './config';
import { createLogger, type Logger } from './logger';

/**
 * Runs a process's main part with its settings and its log. What stops it from running is one line in the log, and exit
 * code 1.
 * @param environment - where the settings are read from
 */
export function runProcess(
  name: string,
  environment: Readonly<Record<string, string | undefined>>,
  main: (config: Config, log: Logger) => Promise<void>,
): void {
  const fail = (log: Logger, error: unknown): void => {
    const reason = error instanceof Error ? error.message.split('\n')[0] : String(error);
    log.fatal({ reason }, `${name} cannot run`);
    process.exitCode = 1;
    setImmediate(() => process.exit(1));
  };
  let config: Config;
  try {
    config = readConfig(environment);
  } catch (error) {
    fail(createLogger(name, 'fatal'), error);
    return;
  }
  const log = createLogger(name, config.LOG_LEVEL);
  main(config, log).catch((error: unknown) => fail(log, error));
}
