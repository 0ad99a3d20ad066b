import type { ParticipantReference } from '../domain/user-tasks/participant';

/**
 * A directory of people and groups. Asked from activities only, never on the path of a request: what it knows reaches
 * the database first.
 * @see UT-059, UT-061
 */
export interface Directory {
  /** Whether there is a real directory behind this; an empty one offers no participant picker. */
  readonly isReal: boolean;
  /**
   * Users who belong to `group`, or null for a group that is unknown.
   * @throws when the directory cannot be asked
   */
  members(group: ParticipantReference): Promise<readonly ParticipantReference[] | null>;
  /** Everybody and every group of a tenant, for the participant picker. @throws when it cannot be asked */
  participants(tenantId: string): AsyncIterable<ParticipantReference>;
}

/** The directory of an installation that has none: knows nobody. @see UT-060 */
export const emptyDirectory: Directory = {
  isReal: false,
  members: () => Promise.resolve(null),
  // eslint-disable-next-line @typescript-eslint/require-await
  participants: async function* () {
    yield* [];
  },
};
