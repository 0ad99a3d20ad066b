/** What the name of the owners' task queue has more than the tasks'. */
export const OWNERS_SUFFIX = '-owners';
