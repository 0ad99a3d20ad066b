/** Runs the main function of a script; a failure is told in one line, and the process then exits with 1. */
export function runExample(main: () => Promise<void>): void {
  main().then(
    () => process.exit(),
    (error: unknown) => {
      console.error(error instanceof Error ? error.message : String(error));
      process.exit(1);
    },
  );
}
