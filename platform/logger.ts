import pino, { type Logger } from 'pino';

export type { Logger };

/**
 * Structured log of one process, JSON lines on standard output. Fields that could carry credentials are cut out whoever
 * logs them; protected content is never handed to it.
 * @param name - of the process, in every line
 */
export function createLogger(name: string, level: string): Logger {
  return pino({
    name,
    level,
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: {
      paths: [
        'req.headers.authorization',
        'req.headers.cookie',
        'headers.authorization',
        'DATABASE_URL',
      ],
      remove: true,
    },
  });
}
