import { z } from 'zod';

const port = z.coerce.number().int().min(0).max(65_535);
const seconds = z.coerce.number().positive();
const list = z
  .string()
  .default('')
  .transform((text) => (text === '' ? [] : text.split(',')));
const secondsList = z
  .string()
  .transform((text) => text.split(',').map(Number))
  .pipe(z.array(z.number().positive()));
const optional = z
  .string()
  .transform((text) => (text === '' ? undefined : text))
  .optional();
const optionalNumber = z.preprocess(
  (text) => (text === '' ? undefined : text),
  z.coerce.number().positive().optional(),
);

/**
 * Every setting that the processes read from their environment. Temporal's own (`TEMPORAL_ADDRESS`, `TEMPORAL_NAMESPACE`,
 * `TEMPORAL_API_KEY`, TLS, profiles) are read by `@temporalio/envconfig`, as every Temporal program does.
 */
export const configSchema = z.object({
  NODE_ENV: z
    .enum(['development', 'test', 'production'])
    .default('development')
    .describe(
      'In production nothing made for development runs: no development tokens, no generated keys.',
    ),
  DATABASE_URL: z
    .string()
    .min(1)
    .describe('PostgreSQL, `postgresql://user:password@host:port/database`.'),
  DATABASE_POOL_SIZE: z.coerce
    .number()
    .int()
    .min(1)
    .default(10)
    .describe('Connections that one process holds at most.'),
  COUNTERSIGN_TASK_QUEUE: z
    .string()
    .min(1)
    .default('countersign')
    .describe('Temporal task queue on which user tasks run.'),
  COUNTERSIGN_KEY_FILE: z
    .string()
    .min(1)
    .describe(
      'Key ring that encrypts all payloads in Temporal: JSON `{ "current", "keys": { id: base64 of 32 bytes } }`.',
    ),
  COUNTERSIGN_HTTP_HOST: z
    .string()
    .min(1)
    .default('127.0.0.1')
    .describe('Address on which the API listens.'),
  COUNTERSIGN_HTTP_PORT: port
    .default(3000)
    .describe('Port on which the API listens; 0 takes a free one.'),
  COUNTERSIGN_WORKER_HEALTH_HOST: z
    .string()
    .min(1)
    .default('127.0.0.1')
    .describe("Address of the worker's health endpoints."),
  COUNTERSIGN_WORKER_HEALTH_PORT: port
    .default(3001)
    .describe("Port of the worker's health endpoints; 0 takes a free one."),
  COUNTERSIGN_DEFAULT_TENANT: z
    .string()
    .max(450)
    .default('')
    .describe('Tenant of tokens that name none.'),
  COUNTERSIGN_DEFAULT_PROVIDER: z
    .string()
    .min(1)
    .max(200)
    .default('default')
    .describe('Provider of participants whose token names none.'),
  COUNTERSIGN_JWT_ISSUER: optional.describe('Issuer whose access tokens the API accepts.'),
  COUNTERSIGN_JWT_AUDIENCE: optional.describe('Audience that those tokens must name.'),
  COUNTERSIGN_JWKS_URL: optional.describe("Address of the issuer's public keys."),
  COUNTERSIGN_DEV_ISSUER_KEY_FILE: optional.describe(
    'Private key of the development issuer; its tokens are accepted outside production only.',
  ),
  COUNTERSIGN_CLAIM_SUBJECT: z.string().min(1).default('sub').describe('Claim with the user id.'),
  COUNTERSIGN_CLAIM_TENANT: z.string().min(1).default('tenant').describe('Claim with the tenant.'),
  COUNTERSIGN_CLAIM_PROVIDER: z
    .string()
    .min(1)
    .default('elsa:identity-provider')
    .describe('Claim with the identity provider.'),
  COUNTERSIGN_CLAIM_NAME: z
    .string()
    .min(1)
    .default('name')
    .describe('Claim with the display name.'),
  COUNTERSIGN_CLAIM_GROUPS: z
    .string()
    .min(1)
    .default('groups,group')
    .describe('Claims with groups, separated by commas; their values are never split.'),
  COUNTERSIGN_CLAIM_PERMISSIONS: z
    .string()
    .min(1)
    .default('permissions,permission')
    .describe('Claims with grants, separated by commas.'),
  COUNTERSIGN_RATE_LIMIT_PER_MINUTE: z.coerce
    .number()
    .int()
    .min(0)
    .default(6_000)
    .describe('Requests per minute and caller; 0 lifts the limit.'),
  COUNTERSIGN_TRUST_PROXY: z.coerce
    .number()
    .int()
    .min(0)
    .default(0)
    .describe('How many proxies stand before the API.'),
  COUNTERSIGN_COMMAND_DEADLINE_SECONDS: seconds
    .default(60)
    .describe('How long a command may travel before the task refuses it (UT-401).'),
  COUNTERSIGN_ANSWER_TIMEOUT_SECONDS: seconds
    .default(10)
    .describe('How long a request waits for the outcome of its command before it answers 504.'),
  COUNTERSIGN_SWEEP_AFTER_SECONDS: seconds
    .default(10)
    .describe('Age at which the sweeper takes a pending operation.'),
  COUNTERSIGN_TEMPORAL_UI_ORIGINS: z
    .string()
    .default('http://127.0.0.1:8233,http://localhost:8233')
    .describe('Origins of the Temporal UIs that may ask the codec endpoint, separated by commas.'),
  COUNTERSIGN_EXTENSIONS: optional.describe(
    'Module that exports `extensions`: form providers, a directory.',
  ),
  COUNTERSIGN_DIRECTORY_FILE: optional.describe('Directory of people and groups in a JSON file.'),
  COUNTERSIGN_WORKER_TENANTS: list.describe(
    'Tenants that repair, purge and the directory look after, separated by commas; all unless given.',
  ),
  COUNTERSIGN_RECONCILE_MINUTES: seconds
    .default(15)
    .describe('Minutes between two passes of repair.'),
  COUNTERSIGN_RETENTION_DAYS: optionalNumber.describe(
    'Days after which closed tasks are deleted with everything that belongs to them; they are kept for ever unless given.',
  ),
  COUNTERSIGN_NOTIFICATION_DAYS: seconds
    .default(7)
    .describe('Days after which notifications are deleted that were delivered or given up.'),
  COUNTERSIGN_DIRECTORY_SYNC_MINUTES: seconds
    .default(60)
    .describe('Minutes between two looks at the directory, for the participant picker.'),
  COUNTERSIGN_DEPLOYMENT_NAME: z
    .string()
    .min(1)
    .default('countersign')
    .describe('Name of the Worker Deployment in Temporal.'),
  COUNTERSIGN_BUILD_ID: optional.describe(
    'Version of this worker within its Worker Deployment; workers are not versioned unless given.',
  ),
  COUNTERSIGN_REALTIME: z
    .enum(['true', 'false'])
    .default('true')
    .transform((text) => text === 'true')
    .describe('Whether inboxes may listen to a live stream.'),
  COUNTERSIGN_POLLING_INTERVAL_SECONDS: z.coerce
    .number()
    .int()
    .positive()
    .default(30)
    .describe('How often clients without a live stream should ask again.'),
  COUNTERSIGN_STREAMS_PER_CALLER: z.coerce
    .number()
    .int()
    .min(1)
    .default(10)
    .describe('Live streams that one person may hold in one process.'),
  COUNTERSIGN_WEBHOOK_RETRY_SECONDS: secondsList
    .default([5, 30, 120, 600, 3_600, 21_600, 86_400])
    .describe(
      'Seconds between the attempts of a delivery to a webhook, separated by commas; after the last it is given up.',
    ),
  LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'])
    .default('info')
    .describe('Least severe log lines that are written.'),
});

export type Config = z.infer<typeof configSchema>;

/**
 * Reads the settings from an environment.
 * @throws {Error} with one line that names every setting that is missing or wrong, never its value
 */
export function readConfig(environment: Readonly<Record<string, string | undefined>>): Config {
  const read = configSchema.safeParse(environment);
  if (read.success) return read.data;
  const wrong = read.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`);
  throw new Error(`Settings are wrong or missing: ${wrong.join('; ')}`);
}
