import type { DevStack } from './dev-stack';
import type { Lifecycle } from './lifecycle';
import type { Report } from './services/progress';
import type { StateFolder } from './services/state-folder';
import type { StartOptions } from './start-options';

/** What every step of the start needs. */
export interface Launch {
  readonly state: StateFolder;
  readonly stack: DevStack;
  readonly options: StartOptions;
  readonly lifecycle: Lifecycle;
  readonly report: Report;
}
