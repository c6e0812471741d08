import nextJest from 'next/jest.js';

/** Component and unit tests. The browser suite has a configuration of its own: jest.browser.config.mjs. */
export default nextJest({ dir: import.meta.dirname })({
  testEnvironment: 'jest-fixed-jsdom',
  setupFilesAfterEnv: ['<rootDir>/src/test/setup.ts'],
  testMatch: ['<rootDir>/src/**/*.test.{ts,tsx}'],
  moduleNameMapper: { '^@/(.*)$': '<rootDir>/src/$1' },
  // A busy machine draws hundreds of rows slowly in jsdom.
  testTimeout: 90_000,
});
