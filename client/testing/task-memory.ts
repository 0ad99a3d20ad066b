import type { ActionDefinition } from '../../domain/user-tasks/action';
import type { CompleteCommand } from '../../domain/user-tasks/commands';
import type { ResolutionNeeds } from '../../domain/user-tasks/definition';
import type { PinnedForm } from '../../domain/user-tasks/form';
import {
  distinctParticipants,
  isAmong,
  type ParticipantReference,
} from '../../domain/user-tasks/participant';
import {
  projectionOf,
  type CreationReceipt,
  type Receipt,
  type TaskProjection,
} from '../../domain/user-tasks/receipt';
import type { Rejection } from '../../domain/user-tasks/rejection';
import type { Resolution } from '../../domain/user-tasks/resolution';
import { created, type CreatedEvent } from '../../domain/user-tasks/task';
import type { FormProviders } from '../../forms/form-provider';
import { prepareCompletion } from '../../forms/prepare-completion';
import { instantOfLocal } from '../../platform/local-date';

/** A task as the memory keeps it. */
export interface RememberedTask {
  readonly event: CreatedEvent;
  readonly workflowId: string;
  readonly projection: TaskProjection;
}

/** Finds the members of a group; null for a group that is unknown. */
export type MembersOf = (group: ParticipantReference) => readonly ParticipantReference[] | null;

/** What the memory answers with. */
export interface MemoryOptions {
  readonly forms: FormProviders;
  /** Null where there is no directory. */
  readonly members: MembersOf | null;
}

/** Stands where a database stands otherwise: remembers the tasks of one test, and answers what they ask outside. */
export class TaskMemory {
  readonly #options: MemoryOptions;
  readonly #tasks = new Map<string, RememberedTask>();

  constructor(options: MemoryOptions) {
    this.#options = options;
  }

  /** In the order in which they were raised. */
  tasks(): readonly RememberedTask[] {
    return [...this.#tasks.values()];
  }

  /** Takes in what a task has answered; what it knows already stays. */
  project(receipt: Receipt): void {
    const known = this.#tasks.get(receipt.taskId);
    if (known === undefined || known.projection.revision >= receipt.task.revision) return;
    this.#tasks.set(receipt.taskId, { ...known, projection: receipt.task });
  }

  /** The effects that the user task workflow asks for. */
  activities() {
    return {
      projectCreation: ({
        event,
        workflowId,
      }: CreationReceipt): Promise<{ materializedBy: string }> => {
        if (!this.#tasks.has(event.taskId)) {
          this.#tasks.set(event.taskId, {
            event,
            workflowId,
            projection: projectionOf(created(event)),
          });
        }
        return Promise.resolve({ materializedBy: event.taskId });
      },
      project: (receipts: readonly Receipt[]): Promise<void> => {
        for (const receipt of receipts) this.project(receipt);
        return Promise.resolve();
      },
      prepareCompletion: (request: PrepareRequest) => this.prepare(request),
      resolve: (request: ResolveRequest) => this.#resolve(request),
    };
  }

  /** Validates and normalises the data of a completion. */
  prepare(request: PrepareRequest): Promise<CompleteCommand | Rejection> {
    return prepareCompletion(this.#options.forms, request);
  }

  async #resolve({ tenantId, snapshotId, needs }: ResolveRequest): Promise<Resolution> {
    const provider = needs.form === null ? null : this.#options.forms(needs.form.providerName);
    const pinned =
      needs.form === null ? null : ((await provider?.resolve(tenantId, needs.form)) ?? null);
    const failure = provider === null ? 'form-provider-missing' : 'form-resolution-failed';
    return {
      form: needs.form === null ? null : pinned === null ? { failure } : { pinned },
      membership: needs.groups.length === 0 ? null : this.#enumerate(snapshotId, needs),
      dueAt: needs.dueAt === null ? null : (instantOfLocal(needs.dueAt) ?? 'invalid'),
    };
  }

  #enumerate(
    snapshotId: string,
    { groups, excludedUsers }: ResolutionNeeds,
  ): Resolution['membership'] {
    const { members } = this.#options;
    const nobody = { snapshotId, memberCount: 0, eligibleCount: 0, failedGroups: groups };
    if (members === null) return { snapshot: nobody, failure: 'snapshot-directory-missing' };
    const found = groups.map((group) => ({ group, users: members(group) }));
    const failedGroups = found.filter(({ users }) => users === null).map(({ group }) => group);
    const all = distinctParticipants(found.flatMap(({ users }) => users ?? []));
    const eligibleCount = all.filter((user) => !isAmong(user, excludedUsers)).length;
    const snapshot = { snapshotId, memberCount: all.length, eligibleCount, failedGroups };
    return { snapshot, failure: failedGroups.length === 0 ? null : 'snapshot-resolution-failed' };
  }
}

interface PrepareRequest {
  readonly tenantId: string;
  readonly command: CompleteCommand;
  readonly form: PinnedForm | null;
  readonly schema: ActionDefinition['schema'];
}

interface ResolveRequest {
  readonly tenantId: string;
  readonly snapshotId: string;
  readonly needs: ResolutionNeeds;
}
