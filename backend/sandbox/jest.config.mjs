/** @type {import('jest').Config} */
export default {
  testEnvironment: 'node',
  testMatch: ['<rootDir>/src/**/*.spec.ts', '<rootDir>/test/**/*.contract-spec.ts'],
  modulePathIgnorePatterns: ['<rootDir>/dist/'],
  moduleNameMapper: {
    '^(\\.{1,2}/.*)\\.js$': '$1',
    // Its CommonJS twin is about to go, and says so in each test.
    '^@mtcute/wasm$': '<rootDir>/../../node_modules/@mtcute/wasm/index.js',
  },
  transformIgnorePatterns: ['/node_modules/(?!@mtcute/wasm/)'],
  transform: {
    '^.+\\.(t|j)s$': [
      '@swc/jest',
      {
        swcrc: false,
        jsc: { target: 'es2023', parser: { syntax: 'typescript' }, keepClassNames: true },
        module: { type: 'commonjs' },
      },
    ],
  },
  // Real TDLib waits seconds between reconnects, so its suites need more than jest's five seconds.
  testTimeout: 120_000,
};
