import { at } from '../launch/lib/project.mjs';

/**
 * The console's `@/`, for dependency-cruiser, in the form of a webpack configuration, which it can read. From a tsconfig.json
 * without the deprecated baseUrl it would resolve the alias from the top of the repository.
 */
export default { resolve: { alias: { '@': at('console/src') } } };
