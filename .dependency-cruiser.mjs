/**
 * Which module may use which, highest first: a module uses only those of the rows below its own, and only through
 * their index.ts. The row of a new module decides what it may know.
 */
const MODULES = [
  ['s3', 'backup'],
  ['bot-pool'],
  ['files', 'webhooks'],
  ['sessions'],
  ['proxies', 'limits', 'apps', 'workers', 'uploads', 'states', 'instance'],
  ['audit', 'tokens', 'td-api'],
];

const downwardOnly = MODULES.flatMap((row, rank) =>
  row.map((name) => {
    const below = MODULES.slice(rank + 1).flat();
    const allowed = [name, ...below].join('|');
    return {
      name: `${name}-looks-only-down`,
      comment: `modules/${name} may use ${below.length > 0 ? below.join(', ') : 'no other module'}`,
      severity: 'error',
      from: { path: `^backend/src/modules/${name}/`, pathNot: '[.-]spec\\.ts$' },
      to: { path: '^backend/src/modules/', pathNot: `^backend/src/modules/(${allowed})/` },
    };
  }),
);

export default {
  forbidden: [
    ...downwardOnly,
    {
      name: 'module-is-ranked',
      comment: 'A module outside the list above has no place in the order yet: add it there',
      severity: 'error',
      from: {},
      to: {
        path: '^backend/src/modules/',
        pathNot: `^backend/src/modules/(${MODULES.flat().join('|')})/`,
      },
    },
    {
      name: 'module-through-index',
      comment: 'What a module does not export from its index.ts is its own affair',
      severity: 'error',
      from: { path: '^backend/src/modules/([^/]+)/' },
      to: {
        path: '^backend/src/modules/([^/]+)/',
        pathNot: ['^backend/src/modules/$1/', '^backend/src/modules/[^/]+/index\\.ts$'],
      },
    },
    {
      name: 'roles-through-index',
      severity: 'error',
      from: { path: '^backend/src/(main\\.ts|roles/)' },
      to: { path: '^backend/src/modules/', pathNot: '^backend/src/modules/[^/]+/index\\.ts$' },
    },
    {
      name: 'common-knows-no-module',
      severity: 'error',
      from: { path: '^backend/src/(common|config|telegram)/' },
      to: { path: '^backend/src/(modules|roles)/' },
    },
    {
      name: 'modules-know-no-role',
      comment: 'main → roles → modules → telegram, common → config',
      severity: 'error',
      from: { path: '^backend/src/modules/', pathNot: '[.-]spec\\.ts$' },
      to: { path: '^backend/src/(roles/|main\\.ts)' },
    },
    {
      name: 'common-knows-no-telegram',
      severity: 'error',
      from: { path: '^backend/src/common/' },
      to: { path: '^backend/src/telegram/' },
    },
    {
      name: 'config-knows-nobody',
      comment: 'Everything reads the configuration, so it may depend on nothing but the error base class',
      severity: 'error',
      from: { path: '^backend/src/config/', pathNot: '[.-]spec\\.ts$' },
      to: { path: '^backend/src/', pathNot: '^backend/src/(config/|common/errors/)' },
    },
    {
      name: 'only-telegram-imports-tdl',
      comment: 'One edge to TDLib: the rest of the backend sees td_api JSON and TdClient',
      severity: 'error',
      from: {
        path: '^backend/',
        // The sandbox asks where the library lies, to make its patched copy.
        pathNot: ['^backend/src/telegram/', '^backend/sandbox/(test|src/tdlib)/', '^backend/bench/'],
      },
      to: { path: 'node_modules/(tdl|prebuilt-tdlib)/' },
    },
    {
      name: 'controllers-see-no-entities',
      severity: 'error',
      from: { path: '\\.controller\\.ts$' },
      to: { path: '\\.(entity|repository)\\.ts$' },
    },
    {
      name: 'no-runtime-cycles',
      comment: 'An ESM cycle throws "before initialization" in production while CommonJS tests pass',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'product-knows-no-sandbox',
      comment: 'The sandbox is for tests and the demo; nothing that ships may need it',
      severity: 'error',
      from: { path: '^(backend/src|console/src)/', pathNot: '[.-]spec\\.ts$' },
      to: { path: '(^backend/sandbox/|@tgcontrol/sandbox)' },
    },
    {
      name: 'sandbox-knows-no-product',
      severity: 'error',
      from: { path: '^backend/sandbox/' },
      to: { path: '^(backend/src|console)/' },
    },
    {
      name: 'console-and-backend-are-apart',
      comment: 'They share the OpenAPI document and nothing else',
      severity: 'error',
      from: { path: '^console/' },
      to: { path: '^backend/' },
    },
    {
      name: 'backend-knows-no-console',
      severity: 'error',
      from: { path: '^backend/' },
      to: { path: '^console/' },
    },
    {
      name: 'feature-through-index',
      comment: "Features do not reach into each other's files; what several need moves to components or lib",
      severity: 'error',
      from: { path: '^console/src/features/([^/]+)/' },
      to: {
        path: '^console/src/features/([^/]+)/',
        pathNot: ['^console/src/features/$1/', '^console/src/features/[^/]+/index\\.tsx?$'],
      },
    },
    {
      name: 'shared-console-knows-no-feature',
      severity: 'error',
      from: { path: '^console/src/(components|lib)/', pathNot: '\\.test\\.tsx?$' },
      to: { path: '^console/src/(features|app)/' },
    },
    {
      name: 'no-tests-in-product',
      severity: 'error',
      from: {
        path: '^(backend/src|backend/sandbox/src|console/src)/',
        pathNot: '([.-]spec\\.ts|\\.test\\.tsx?)$|/test/',
      },
      to: { path: '([.-]spec\\.ts|\\.test\\.tsx?)$|^backend/test/|^console/src/test/' },
    },
    {
      name: 'resolvable',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '(^|/)(dist|out|\\.next|coverage)/' },
    webpackConfig: { fileName: 'deploy/check/aliases.mjs' },
    tsPreCompilationDeps: true,
    combinedDependencies: true,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['types', 'import', 'require', 'node', 'default'],
      mainFields: ['module', 'main', 'types', 'typings'],
    },
  },
};
