import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';
import { LaunchError } from '../launch-error';

/** A port of the launcher, and how a person changes it. */
export interface PortChoice {
  readonly port: number;
  /** What listens there, as in "the API". */
  readonly what: string;
  /** Flag of `npm start`, without dashes. */
  readonly flag: string;
  readonly variable: string;
}

/**
 * Where free ports are looked for: below the range from which operating systems give ports to outgoing connections and
 * to whoever asks for any, one of which could otherwise be taken between the look and the use.
 */
const LOWEST = 20_000;
const HIGHEST = 31_999;
const TRIES = 200;

/** Ports given out by this process, so that none is given twice before it is used. */
const given = new Set<number>();

/** A loopback port that nobody listens on now; another process may still take it first. */
export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < TRIES; attempt += 1) {
    const port = randomInt(LOWEST, HIGHEST + 1);
    if (given.has(port) || (await listenOnce(port)) === null) continue;
    given.add(port);
    return port;
  }
  throw new LaunchError('No free port on 127.0.0.1; end some programs first.');
}

/** @throws {LaunchError} in one line when something listens on the port already */
export async function requireFreePort(choice: PortChoice): Promise<void> {
  if ((await listenOnce(choice.port)) !== null) return;
  throw new LaunchError(
    `Port ${choice.port} for ${choice.what} is in use; stop the program that listens there, or ` +
      `choose another port: npm start -- --${choice.flag} ${choice.port + 100} (or ${choice.variable}).`,
  );
}

/** Listens and stops again; null when the port is taken or not allowed. */
async function listenOnce(port: number): Promise<number | null> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once('error', () => resolve(null));
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => {
      server.close(() => resolve(port));
    });
  });
}
