// A jest environment that fails a test which leaves something open (see open-resources.ts). Not an
// `afterEach`: jest runs those of a setup file before the test file's own, so it would look too early.
const { TestEnvironment: NodeEnvironment } = require('jest-environment-node');

module.exports = class LeakCheckingEnvironment extends NodeEnvironment {
  openBefore = new Set();

  get open() {
    return this.global.countersignOpenResources ?? new Set();
  }

  async handleTestEvent(event) {
    if (event.name === 'test_start') this.openBefore = new Set(this.open);
    if (event.name === 'test_done') {
      const leaked = [...this.open].filter((resource) => !this.openBefore.has(resource));
      if (leaked.length > 0) event.test.errors.push(new Error(complaint('This test', leaked)));
      // Complain once, in the test at fault.
      for (const resource of leaked) this.open.delete(resource);
    }
  }

  async teardown() {
    const leaked = this.global ? [...this.open] : [];
    await super.teardown();
    if (leaked.length > 0) throw new Error(complaint('This file', leaked));
  }
};

function complaint(who, leaked) {
  return `${who} left open: ${leaked.map((resource) => resource.name).join(', ')}.`;
}
