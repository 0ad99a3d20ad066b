/** A variable of the environment; set to nothing counts as not set. */
export function setting(name: string): string | undefined {
  const value = process.env[name];
  return value === '' ? undefined : value;
}
