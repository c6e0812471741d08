import Runtime from 'jest-runtime';

let library;

/**
 * jest's own module loader, but what test files import is loaded once in a worker, not for each file: the product with NestJS,
 * TypeORM and TDLib takes seconds to load. Only the test file itself and jest's own modules are loaded anew.
 *
 * It stands on the environment of kept-environment.mjs. State that a module of the product holds outlives a test file, as in the
 * product; spies do not.
 */
export default class KeptRuntime extends Runtime {
  constructor(...from) {
    super(...from);
    library ??= new Runtime(...from);
  }

  requireModuleOrMock(from, moduleName) {
    return library.requireModuleOrMock(from, moduleName);
  }

  /** So that stack traces show lines of the sources, wherever they were loaded. */
  getSourceMaps() {
    const own = super.getSourceMaps();
    const shared = library.getSourceMaps();
    return {
      get: (path) => own.get(path) ?? shared.get(path),
      [Symbol.iterator]: () => own[Symbol.iterator](),
    };
  }
}
