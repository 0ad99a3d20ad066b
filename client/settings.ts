/** Where the tasks of this process's workflows live. */
export interface UserTaskSettings {
  /** Tenant of the tasks; `''`, the default tenant, unless given. */
  readonly tenantId: string;
  /** Task queue of the Countersign worker; `countersign` unless given. */
  readonly taskQueue: string;
  /**
   * Milliseconds within which form, snapshot and local due date of a task must be resolved before it appears with an issue;
   * 30,000 unless given.
   */
  readonly activationResolutionTimeoutMs?: number;
  /** Events of history after which a task continues as new; 4,000 unless given. */
  readonly historyLimit?: number;
}

let settings: UserTaskSettings = { tenantId: '', taskQueue: 'countersign' };

/**
 * Sets tenant and task queue for every `userTask()` of this workflow that does not name its own. Call it where the
 * workflows are defined, at the top of a module: each workflow execution loads its modules anew.
 */
export function configureUserTasks(given: Partial<UserTaskSettings>): void {
  settings = { ...settings, ...given };
}

/** The settings in force. */
export function userTaskSettings(): UserTaskSettings {
  return settings;
}
