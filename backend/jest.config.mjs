// Tests run as CommonJS: jest loads ESM through require only from Node 24.9 on. Packages that ship ESM only are transformed.
const ESM_ONLY = [
  '@mtcute/wasm',
  '@nestjs',
  '@tokenizer',
  '@borewit',
  'cookie',
  'file-type',
  'eventemitter3',
  'p-limit',
  'p-queue',
  'p-timeout',
  'strtok3',
  'token-types',
  'uint8array-extras',
  'yocto-queue',
];

/** @type {import('jest').Config} */
export default {
  // What test files import is loaded once in a worker: for each file anew it would be a third of the time.
  testEnvironment: '<rootDir>/test/runner/kept-environment.mjs',
  runtime: '<rootDir>/test/runner/kept-runtime.mjs',
  testMatch: ['<rootDir>/src/**/*.spec.ts', '<rootDir>/test/**/*.e2e-spec.ts', '<rootDir>/test/**/*.boot-spec.ts'],
  modulePathIgnorePatterns: ['<rootDir>/dist/', '<rootDir>/sandbox/'],
  globalSetup: '<rootDir>/test/global-setup.mjs',
  globalTeardown: '<rootDir>/test/global-teardown.mjs',
  // The sandbox comes from its sources, so that tests need no build of it.
  moduleNameMapper: {
    '^(\\.{1,2}/.*)\\.js$': '$1',
    '^@tgcontrol/sandbox$': '<rootDir>/sandbox/src/index.ts',
    // Its CommonJS twin is about to go, and says so in each test.
    '^@mtcute/wasm$': '<rootDir>/../node_modules/@mtcute/wasm/index.js',
  },
  transformIgnorePatterns: [`/node_modules/(?!(${ESM_ONLY.join('|')})/)`],
  transform: {
    '^.+\\.(t|j)s$': [
      '@swc/jest',
      {
        swcrc: false,
        jsc: {
          target: 'es2023',
          parser: { syntax: 'typescript', decorators: true },
          transform: { legacyDecorator: true, decoratorMetadata: true, useDefineForClassFields: false },
          keepClassNames: true,
        },
        module: { type: 'commonjs' },
      },
    ],
  },
  // What hangs is ended by the deadline of its own wait (test/support/until.ts), which names it.
  testTimeout: 120_000,
};
