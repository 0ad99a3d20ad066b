/** Something that a test holds and must give back. */
export interface OpenResource {
  /** How to call it when it was forgotten, as in "database test_ab12". */
  readonly name: string;
}

/** Set that the test environment looks at after each test and at the end of each file. */
interface WithResources {
  countersignOpenResources?: Set<OpenResource>;
}

/**
 * Registers something that must be given back: the test fails that opens it and does not, and so
 * does the file that opens it in `beforeAll`.
 * @returns call it when the thing has been closed
 */
export function trackResource(name: string): () => void {
  const holder = globalThis as WithResources;
  holder.countersignOpenResources ??= new Set();
  const { countersignOpenResources: open } = holder;
  const resource: OpenResource = { name };
  open.add(resource);
  return () => void open.delete(resource);
}
