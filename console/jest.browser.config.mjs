/**
 * The exported console in a real Chromium, on the built gateway, with the real TDLib against the sandbox. Build first.
 *
 * One file at a time: each starts a product of its own, and two of them with a browser are too much for a small machine.
 */
export default {
  rootDir: import.meta.dirname,
  testEnvironment: 'node',
  testMatch: ['<rootDir>/browser/**/*.browser-spec.ts'],
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      { swcrc: false, jsc: { target: 'es2023', parser: { syntax: 'typescript' } }, module: { type: 'commonjs' } },
    ],
  },
  maxWorkers: 1,
  // Most of what hangs is ended by the deadline of its own wait (browser/support/process.ts), which names it.
  testTimeout: 180_000,
  // A set-up that fails half way leaves a browser or a product, and jest would wait for them until the suite's deadline.
  forceExit: true,
};
