// Packages that ship only ES modules. Everything here runs as CommonJS, so jest must compile them.
const esModules = ['jose', '@prisma/schema-engine-wasm', 'zod-openapi'];

/** @type {import('jest').Config} */
export default {
  testEnvironment: '<rootDir>/test/harness/leak-checking-environment.cjs',
  testMatch: ['<rootDir>/test/**/*.test.ts', '<rootDir>/examples/**/*.test.ts'],
  modulePathIgnorePatterns: ['<rootDir>/.countersign/', '<rootDir>/dist/'],
  transform: {
    '^.+\\.(ts|tsx|js|mjs)$': [
      '@swc/jest',
      {
        jsc: {
          parser: { syntax: 'typescript', tsx: false },
          target: 'es2022',
        },
        module: { type: 'commonjs', importInterop: 'node' },
        sourceMaps: 'inline',
      },
    ],
  },
  transformIgnorePatterns: [`/node_modules/(?!(?:${esModules.join('|')})/)`],
  // Generated Prisma files may name their siblings with a .js ending.
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  globalSetup: '<rootDir>/test/harness/global-setup.ts',
  globalTeardown: '<rootDir>/test/harness/global-teardown.ts',
  reporters: ['<rootDir>/test/harness/no-skipped-tests.cjs', 'default'],
  testTimeout: 60_000,
  maxWorkers: 2,
};
