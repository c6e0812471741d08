import eslint from '@eslint/js';
import prettier from 'eslint-config-prettier';
import { defineConfig, globalIgnores } from 'eslint/config';
import tseslint from 'typescript-eslint';

const PROCESS_ENV = {
  selector: "MemberExpression[object.name='process'][property.name='env']",
  message: 'Only backend/src/config reads the environment: take the value from AppConfig.',
};
const DEFAULT_EXPORT = {
  selector: "ExportDefaultDeclaration, ExportSpecifier[exported.name='default']",
  message: 'Export by name: a default export is called something else in every file that imports it.',
};

const TESTS = [
  '**/*.spec.ts',
  '**/*-spec.ts',
  '**/*.test.{ts,tsx}',
  '**/*-spec.tsx',
  '**/test/**/*.{ts,tsx}',
  'console/browser/**/*.ts',
];
/** Files whose framework asks for a default export. */
const DEFAULT_EXPORTERS = ['console/src/app/**/*.{ts,tsx}', '**/*.config.{ts,mjs}', 'eslint.config.mjs'];
/** Programs: they are started with an environment and talk to a terminal. */
const PROGRAMS = [
  'backend/sandbox/src/main.ts',
  'backend/bench/**/*.ts',
  'deploy/**/*.mjs',
  '**/scripts/**/*.{mjs,ts}',
];
/** What TypeScript does not compile; its rules that need types cannot run there. */
const PLAIN_SCRIPTS = ['**/*.{js,mjs,cjs}'];

export default defineConfig(
  globalIgnores([
    '**/node_modules/',
    '**/dist/',
    '**/coverage/',
    'console/out/',
    'console/.next/',
    'console/next-env.d.ts',
    'console/src/lib/schema.d.ts',
    'data/',
  ]),
  { linterOptions: { reportUnusedDisableDirectives: 'error' } },
  eslint.configs.recommended,
  // Rules that need to know types, and those of React with its compiler, are oxlint's, see .oxlintrc.json: in native code they take
  // a fifth of the time.
  tseslint.configs.strict,
  {
    rules: {
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-non-null-assertion': 'error',
      // Imports that decorator metadata reads at run time are left alone by the rule itself.
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      // A Nest module is a class without members; its decorator is its content.
      '@typescript-eslint/no-extraneous-class': ['error', { allowWithDecorator: true }],
      '@typescript-eslint/no-unused-vars': [
        'error',
        { argsIgnorePattern: '^_', varsIgnorePattern: '^_', caughtErrorsIgnorePattern: '^_', ignoreRestSiblings: true },
      ],
      'no-console': 'error',
      'no-restricted-syntax': ['error', PROCESS_ENV, DEFAULT_EXPORT],
      // `!= null` is the one comparison that means both absent and null.
      eqeqeq: ['error', 'always', { null: 'ignore' }],
      'object-shorthand': 'error',
      'prefer-template': 'error',
    },
  },
  {
    // For the rule about type imports.
    files: ['backend/**/*.ts'],
    languageOptions: { parserOptions: { emitDecoratorMetadata: true, experimentalDecorators: true } },
  },
  {
    files: DEFAULT_EXPORTERS,
    rules: { 'no-restricted-syntax': ['error', PROCESS_ENV] },
  },
  {
    // main.ts hands the environment to AppConfig.fromEnv and is the only other place that sees it.
    files: [...TESTS, ...PROGRAMS, 'backend/src/config/**/*.ts', 'backend/src/main.ts'],
    rules: { 'no-restricted-syntax': ['error', DEFAULT_EXPORT] },
  },
  { files: PROGRAMS, rules: { 'no-console': 'off' } },
  {
    files: PLAIN_SCRIPTS,
    languageOptions: {
      globals: {
        AbortController: 'readonly',
        AbortSignal: 'readonly',
        Buffer: 'readonly',
        TextDecoder: 'readonly',
        TextEncoder: 'readonly',
        URL: 'readonly',
        clearInterval: 'readonly',
        clearTimeout: 'readonly',
        console: 'readonly',
        fetch: 'readonly',
        performance: 'readonly',
        process: 'readonly',
        setInterval: 'readonly',
        setTimeout: 'readonly',
      },
    },
  },
  {
    // Config files and global set-ups are loaded by tools that look for the default export.
    files: [
      '*.config.mjs',
      '.dependency-cruiser.mjs',
      'deploy/check/aliases.mjs',
      '**/jest.config.mjs',
      '**/postcss.config.mjs',
      '**/global-setup.mjs',
      '**/global-teardown.mjs',
      'backend/test/runner/*.mjs',
    ],
    rules: { 'no-restricted-syntax': 'off' },
  },
  prettier,
);
