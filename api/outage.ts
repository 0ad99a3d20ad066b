/** Prisma's own codes for a database that cannot be reached or has no connection to give. */
const PRISMA_OUTAGE = /^(P1\d{3}|P2024|P2037)$/;

/** Kinds under which its driver adapter reports the same. */
const ADAPTER_OUTAGES = new Set([
  'AuthenticationFailed',
  'ConnectionClosed',
  'DatabaseAccessDenied',
  'DatabaseDoesNotExist',
  'DatabaseNotReachable',
  'SocketTimeout',
  'TlsConnectionError',
  'TooManyConnections',
]);

/** SQLSTATE: connection (08), not let in (28), no resources (53), ended by an operator, a crash or a time limit (57). */
const SQLSTATE_OUTAGE = /^(08|28|53|57)/;

const SOCKET_FAILURE =
  /^(ECONN(REFUSED|RESET|ABORTED)|ETIMEDOUT|EPIPE|EHOSTUNREACH|ENOTFOUND|EAI_AGAIN)$/;

/** What the driver's pool says without a code. */
const POOL_FAILURE = /^(timeout exceeded when trying to connect|Connection terminated)/;

/**
 * Whether a failure means that the database is out of reach, and not that a statement was wrong: then the same request
 * works later.
 * @see UT-400
 */
export function isOutage(error: unknown, depth = 0): boolean {
  if (typeof error !== 'object' || error === null || depth > 5) return false;
  const { name, message, code, kind, originalCode } = error as Readonly<Record<string, unknown>>;
  if (name === 'PrismaClientInitializationError') return true;
  if (typeof kind === 'string' && ADAPTER_OUTAGES.has(kind)) return true;
  if ([code, originalCode].some((text) => typeof text === 'string' && isOutageCode(text)))
    return true;
  if (typeof message === 'string' && POOL_FAILURE.test(message)) return true;
  return isOutage(underlying(error), depth + 1);
}

/** What a failure was caused by: Prisma hides what its driver met in `meta`. */
export function underlying(error: object): unknown {
  const { cause, meta } = error as {
    readonly cause?: unknown;
    readonly meta?: { readonly driverAdapterError?: unknown };
  };
  return cause ?? meta?.driverAdapterError;
}

function isOutageCode(code: string): boolean {
  return (
    PRISMA_OUTAGE.test(code) ||
    SOCKET_FAILURE.test(code) ||
    (code.length === 5 && SQLSTATE_OUTAGE.test(code))
  );
}
