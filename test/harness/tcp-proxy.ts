import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { trackResource } from './open-resources';

/** Stands before a server and can take it away. */
export interface TcpProxy {
  readonly port: number;
  /** Breaks every connection and refuses new ones, as a server that has died. */
  cut(): void;
  restore(): void;
  close(): Promise<void>;
}

/** Forwards connections on a port of its own to `host:port` until it is told to cut them. */
export async function createTcpProxy(host: string, port: number): Promise<TcpProxy> {
  const sockets = new Set<Socket>();
  let open = true;
  const server = createServer((near) => {
    if (!open) return void near.destroy();
    const far = connect(port, host);
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        sockets.delete(socket);
        near.destroy();
        far.destroy();
      });
    }
    near.pipe(far).pipe(near);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address() as AddressInfo;
  const closed = trackResource(`proxy on port ${address.port}`);
  const breakAll = (): void => sockets.forEach((socket) => socket.destroy());
  return {
    port: address.port,
    cut: () => {
      open = false;
      breakAll();
    },
    restore: () => void (open = true),
    close: async () => {
      const ended = new Promise((resolve) => server.close(resolve));
      breakAll();
      await ended;
      closed();
    },
  };
}
