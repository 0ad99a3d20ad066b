/** Codes of Prisma for a database that cannot be reached or has no connection to give. */
const PRISMA_OUTAGES = new Set([
  'P1000',
  'P1001',
  'P1002',
  'P1008',
  'P1011',
  'P1017',
  'P2024',
  'P2037',
]);
const SOCKET_FAILURES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ETIMEDOUT',
  'EPIPE',
  'ENOTFOUND',
  'EAI_AGAIN',
]);

/** SQLSTATE classes 08 (connection), 53 (resources) and 57P (shutdown, crash), as the database reports them itself. */
const SQLSTATE_OUTAGE = /^(08|53|57P)/;

/**
 * Whether a failure means that the database is out of reach, and not that a statement was wrong: then the same request
 * works later.
 * @see UT-400
 */
export function isOutage(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false;
  const { name, code, cause } = error as { name?: unknown; code?: unknown; cause?: unknown };
  if (name === 'PrismaClientInitializationError') return true;
  if (
    typeof code === 'string' &&
    (PRISMA_OUTAGES.has(code) || SOCKET_FAILURES.has(code) || SQLSTATE_OUTAGE.test(code))
  )
    return true;
  return cause !== undefined && cause !== error && isOutage(cause);
}
