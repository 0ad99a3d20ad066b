import js from '@eslint/js';
import { createNodeResolver, importX } from 'eslint-plugin-import-x';
import { defineConfig, globalIgnores } from 'eslint/config';
import tseslint from 'typescript-eslint';

/**
 * Which folders a folder may import ("dependency direction").
 * A folder that is missing here may import every folder that is not in `nothingImports`.
 */
const mayImport = {
  domain: [],
  platform: ['domain', 'forms', 'people'], // the last two by `import type` only: what a host may extend
  forms: ['domain', 'prisma'],
  people: ['domain', 'platform'],
  prisma: ['domain'],
  workflows: ['domain', 'activities'], // activities by `import type` only, see below
  activities: ['domain', 'forms', 'people', 'prisma', 'platform', 'workflows'], // narrowed below
  api: ['domain', 'forms', 'people', 'prisma', 'platform', 'workflows', 'activities'], // narrowed below
  client: ['domain', 'forms', 'platform', 'workflows'], // narrowed below
  web: ['domain', 'client'],
};

/** What stays closed in a folder of which only a part may be imported, as globs. */
const closedParts = {
  api: {
    workflows: { from: './workflows/**/!(messages).ts', open: 'messages' },
    activities: {
      from: './activities/**/!(project|rebuild|read-snapshot|settle|closure|audit-event).ts',
      open: '*/{project,rebuild,read-snapshot,settle,closure,audit-event}',
    },
  },
  activities: { workflows: { from: './workflows/**/!(messages).ts', open: 'messages' } },
  forms: { prisma: { from: './prisma/migrate.ts', open: 'the client' } },
  client: { workflows: { from: './workflows/**/!(messages).ts', open: 'messages' } },
};

const codeFolders = [...Object.keys(mayImport), 'scripts', 'examples', 'bench', 'test'];
const nothingImports = ['test', 'bench', 'examples'];
const all = (folder) => `./${folder}/**/*`;

function zonesOf(folder) {
  const allowed = mayImport[folder];
  const forbidden = codeFolders.filter(
    (other) =>
      other !== folder && (allowed ? !allowed.includes(other) : nothingImports.includes(other)),
  );
  const zones = forbidden.map((other) => ({
    target: all(folder),
    from: all(other),
    message: `${folder}/ must not import ${other}/ (dependency direction).`,
  }));
  for (const [other, { from, open }] of Object.entries(closedParts[folder] ?? {})) {
    zones.push({
      target: all(folder),
      from,
      message: `${folder}/ may import only ${open} of ${other}/ (dependency direction).`,
    });
  }
  return zones;
}

const freeFolders = ['examples', 'bench', 'test'];
const folderZones = codeFolders
  .filter((folder) => !freeFolders.includes(folder))
  .flatMap((folder) => zonesOf(folder));

const readsEnvironment = [
  'activities/worker.ts',
  'api/server.ts',
  'platform/config.ts',
  'prisma.config.ts',
  'scripts/**',
  'test/harness/**',
  'test/scripts/**', // the launcher's tests start it with other settings
  'bench/**',
  'examples/**',
];

const noEnvironment = {
  object: 'process',
  property: 'env',
  message: 'Only entry points and platform/config.ts read the environment; take a setting instead.',
};
const noClock = [
  { object: 'Date', property: 'now', message: 'domain/ has no clock; take `now` instead.' },
  { object: 'Math', property: 'random', message: 'domain/ has no randomness; take a value.' },
];

export default defineConfig(
  globalIgnores(['.countersign/', 'coverage/', 'dist/', 'prisma/generated/', 'web/']),
  { linterOptions: { reportUnusedDisableDirectives: 'error' } },
  js.configs.recommended,
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.strictTypeChecked],
    plugins: { 'import-x': importX },
    languageOptions: {
      parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname },
    },
    settings: {
      'import-x/parsers': { '@typescript-eslint/parser': ['.ts'] },
      'import-x/resolver-next': [
        createNodeResolver({ extensions: ['.ts', '.mjs', '.js', '.json'] }),
      ],
    },
    rules: {
      '@typescript-eslint/consistent-type-imports': [
        'error',
        { prefer: 'type-imports', fixStyle: 'inline-type-imports' },
      ],
      '@typescript-eslint/consistent-type-exports': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true, requireDefaultForNonUnion: true },
      ],
      '@typescript-eslint/no-unused-vars': [
        'error',
        { argsIgnorePattern: '^_', varsIgnorePattern: '^_', ignoreRestSiblings: true },
      ],
      '@typescript-eslint/restrict-template-expressions': [
        'error',
        { allowNumber: true, allowBoolean: true },
      ],
      '@typescript-eslint/no-confusing-void-expression': [
        'error',
        { ignoreArrowShorthand: true, ignoreVoidReturningFunctions: true },
      ],
      '@typescript-eslint/no-import-type-side-effects': 'error',
      '@typescript-eslint/only-throw-error': ['error', { allowThrowingUnknown: true }],
      'import-x/no-cycle': 'error',
      'import-x/no-self-import': 'error',
      'import-x/no-default-export': 'error',
      'import-x/no-duplicates': ['error', { 'prefer-inline': true }],
      'import-x/no-restricted-paths': [
        'error',
        { zones: folderZones, basePath: import.meta.dirname },
      ],
      'no-restricted-properties': ['error', noEnvironment],
      'no-console': 'error',
      eqeqeq: ['error', 'always'],
      'max-lines': ['warn', { max: 300, skipBlankLines: true, skipComments: true }],
      'max-lines-per-function': ['warn', { max: 60, skipBlankLines: true, skipComments: true }],
    },
  },
  {
    files: ['domain/**/*.ts'],
    rules: {
      '@typescript-eslint/no-restricted-imports': [
        'error',
        {
          patterns: [
            {
              // @noble/hashes is pure computation and runs in the workflow sandbox.
              regex: '^(?!\\.|@noble/hashes)',
              message: 'domain/ imports nothing outside domain/: no package, no Node module.',
            },
          ],
        },
      ],
      'no-restricted-globals': [
        'error',
        ...['process', 'Buffer', 'fetch', 'crypto', 'performance', 'console', 'require'],
        ...['setTimeout', 'setInterval', 'setImmediate', 'queueMicrotask', 'globalThis'],
      ],
      'no-restricted-properties': ['error', noEnvironment, ...noClock],
      'no-restricted-syntax': [
        'error',
        {
          selector: "NewExpression[callee.name='Date'][arguments.length=0]",
          message: 'domain/ has no clock; take `now` instead.',
        },
      ],
    },
  },
  {
    files: ['workflows/**/*.ts'],
    rules: {
      '@typescript-eslint/no-restricted-imports': [
        'error',
        {
          patterns: [
            {
              regex: '^(\\.\\./)+activities(/|$)',
              allowTypeImports: true,
              message: 'workflows/ may import activities by `import type` only.',
            },
            {
              regex:
                '^(node:|@temporalio/(client|worker|activity|testing|envconfig)|@prisma|pg$|express$)',
              message:
                'Workflow code is deterministic: no effects, only @temporalio/workflow and common.',
            },
          ],
        },
      ],
      'no-restricted-properties': [
        'error',
        noEnvironment,
        {
          object: 'Math',
          property: 'random',
          message: 'Use uuid4() of @temporalio/workflow, which is equal on every replay.',
        },
      ],
    },
  },
  {
    // Temporal stays behind the doors that the layout names.
    files: ['people/**/*.ts', 'prisma/**/*.ts'],
    rules: {
      '@typescript-eslint/no-restricted-imports': [
        'error',
        { patterns: [{ regex: '^@temporalio/', message: 'This folder does not know Temporal.' }] },
      ],
    },
  },
  { files: readsEnvironment, rules: { 'no-restricted-properties': 'off' } },
  {
    files: ['scripts/**', 'examples/**', 'bench/**'],
    rules: { 'no-console': 'off' },
  },
  {
    files: ['test/**/*.ts', 'examples/**/*.test.ts'],
    rules: {
      'max-lines-per-function': 'off',
      '@typescript-eslint/no-non-null-assertion': 'off',
      '@typescript-eslint/no-confusing-void-expression': 'off',
      // jest's matchers (expect.any and the like) are of type any.
      '@typescript-eslint/no-unsafe-assignment': 'off',
    },
  },
  {
    files: ['prisma.config.ts'],
    rules: { 'import-x/no-default-export': 'off' },
  },
  {
    files: ['**/*.mjs', '**/*.cjs'],
    languageOptions: {
      globals: {
        console: 'readonly',
        process: 'readonly',
        module: 'writable',
        require: 'readonly',
        setTimeout: 'readonly',
        setInterval: 'readonly',
        clearInterval: 'readonly',
      },
    },
  },
);
