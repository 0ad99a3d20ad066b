import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { trackResource } from '../harness/open-resources';
import { within } from '../harness/within';

/** A message as it arrived. */
export interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly body: {
    readonly type: string;
    readonly timestamp: string;
    readonly data: Readonly<Record<string, unknown>>;
  };
}

/** Somebody's webhook on a port of its own. */
export interface Receiver {
  readonly url: string;
  readonly received: readonly Received[];
  /** How it answers from now on: a status, a redirect, or not at all. */
  answer: number | 'silence' | { readonly redirect: string };
  /** Waits until so many messages have come. */
  readonly messages: (count: number) => Promise<readonly Received[]>;
  readonly close: () => Promise<void>;
}

export async function startReceiver(): Promise<Receiver> {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString('utf8');
      const { url: path = '', headers } = request;
      received.push({ path, headers, text, body: JSON.parse(text) as Received['body'] });
      const { answer } = receiver;
      if (answer === 'silence') return;
      if (typeof answer === 'number') response.writeHead(answer);
      else response.writeHead(302, { location: answer.redirect });
      // More than anybody should read.
      response.end('x'.repeat(1_000_000));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const closed = trackResource('receiver');
  const receiver: Receiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    received,
    answer: 204,
    messages: async (count) => {
      await within(10_000, () => received.length >= count);
      return received;
    },
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
      closed();
    },
  };
  return receiver;
}

/** Whether the message is signed with this secret, as receivers check it. */
export function verifies({ text, headers }: Received, secret: string): boolean {
  try {
    new Webhook(secret).verify(text, headers as Record<string, string>);
    return true;
  } catch {
    return false;
  }
}
