/** Closes a `switch` over a union: the compiler refuses the call as soon as a case is missing. */
export function assertNever(value: never): never {
  throw new Error(`unexpected value ${JSON.stringify(value)}`);
}
