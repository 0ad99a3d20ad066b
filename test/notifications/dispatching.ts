import { randomUUID } from 'node:crypto';
import { planDeliveries } from '../../activities/notifications/plan-deliveries';
import {
  serveLane,
  takeLanes,
  type LaneDependencies,
} from '../../activities/notifications/serve-lane';
import type { Person } from '../../domain/user-tasks/actor';
import { createLogger } from '../../platform/logger';
import { newWebhookSecret, sealSecrets, type WebhookSecrets } from '../../platform/webhook-secrets';
import type { PrismaClient } from '../../prisma/generated/client';
import { testSecretBox } from '../api/start-api';

export const MINUTE_MS = 60_000;

/** What tests say of an endpoint; the rest is as it usually is. */
export interface Registration {
  readonly url: string;
  readonly tenantId?: string;
  readonly types?: readonly string[];
  readonly subject?: Person;
  readonly secrets?: WebhookSecrets;
}

/** What a worker does for webhooks, one round at a time and by a clock of the test's own. */
export class Dispatching {
  readonly #database: PrismaClient;
  #clock = Date.now();
  deps: LaneDependencies;

  constructor(database: PrismaClient, overrides: Partial<LaneDependencies> = {}) {
    this.#database = database;
    this.deps = {
      database,
      box: testSecretBox(),
      sink: null,
      strict: false,
      timeoutMs: 1_000,
      log: createLogger('test', 'silent'),
      now: () => new Date(this.#clock),
      retryDelaysMs: [MINUTE_MS, 10 * MINUTE_MS],
      pauseMs: 5_000,
      ...overrides,
    };
  }

  pass(milliseconds: number): void {
    this.#clock += milliseconds;
  }

  /** Makes an endpoint as the API does. */
  async register(
    options: Registration,
  ): Promise<{ readonly id: string; readonly secrets: WebhookSecrets }> {
    const { url, tenantId = 'acme', types = [], subject } = options;
    const id = `whk_${randomUUID()}`;
    const secrets = options.secrets ?? { current: newWebhookSecret(), previous: null };
    await this.#database.webhookEndpoint.create({
      data: {
        tenantId,
        id,
        url,
        secret: sealSecrets(this.deps.box, { tenantId, endpointId: id }, secrets),
        types: [...types],
        ...(subject === undefined
          ? {}
          : { subject: JSON.parse(JSON.stringify(subject)) as object }),
      },
    });
    return { id, secrets };
  }

  async plan(): Promise<void> {
    while ((await planDeliveries(this.#database, this.deps.sink !== null, this.deps.now())) > 0);
  }

  /** Plans and sends everything that is due now. */
  async dispatch(): Promise<void> {
    await this.plan();
    const lanes = await takeLanes(this.deps, 10);
    await Promise.all(lanes.map((lane) => serveLane(this.deps, lane, () => false)));
    if (lanes.length > 0) await this.dispatch();
  }

  deliveries(endpointId: string) {
    return this.#database.webhookDelivery.findMany({
      where: { endpointId },
      orderBy: { notificationId: 'asc' },
    });
  }
}
