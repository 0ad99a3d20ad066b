// A jest reporter that fails the run in CI (CI=true) when a test was skipped or is still to be
// written: what does not run proves nothing. Listed before jest's own, whose summary comes last.
module.exports = class NoSkippedTests {
  error = undefined;

  onRunComplete(_contexts, results) {
    // A run narrowed with -t skips the others on purpose.
    const narrowed = process.argv.some((arg) => /^(-t|--testNamePattern)/.test(arg));
    const skipped = results.testResults.flatMap((file) =>
      file.testResults.filter((test) => test.status === 'pending' || test.status === 'todo'),
    );
    if (process.env.CI !== 'true' || narrowed || skipped.length === 0) return;
    const names = skipped.map((test) => `  ${test.fullName}`).join('\n');
    process.stderr.write(`\nSkipped tests fail the run in CI:\n${names}\n`);
    this.error = new Error('skipped tests');
  }

  getLastError() {
    return this.error;
  }
};
