import { createServer, type AddressInfo } from 'node:net';
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

/** A loopback port that nobody listens on now; another process may still take it first. */
export async function freePort(): Promise<number> {
  const port = await listenOnce(0);
  if (port === null) throw new LaunchError('No free port on 127.0.0.1; end some programs first.');
  return port;
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
      const { port: given } = server.address() as AddressInfo;
      server.close(() => resolve(given));
    });
  });
}
