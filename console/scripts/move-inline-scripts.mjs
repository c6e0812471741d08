// Last step of the build: moves the inline scripts of the exported pages into files, so that the console runs under
// `script-src 'self'`. Next writes a page's data as inline scripts; allowing those by hash would need a header of its own
// for every page, and allowing them all would allow an injected one too.
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const OUT = join(import.meta.dirname, '../out');
/** Below /_next/static, which servers may let browsers keep for ever: the names carry the hash of the content. */
const FOLDER = '_next/static/inline';
const INLINE_SCRIPT = /<script((?:\s+(?!src[\s=>])[^\s=>]+(?:="[^"]*")?)*)\s*>([\s\S]*?)<\/script>/g;
/** Data, not code: the browser never runs it, and the policy does not ask about it. */
const IS_DATA = /\btype="application\/(?:ld\+)?json"/;

const pages = readdirSync(OUT, { recursive: true }).filter((file) => file.endsWith('.html'));
mkdirSync(join(OUT, FOLDER), { recursive: true });
for (const page of pages) {
  const html = readFileSync(join(OUT, page), 'utf8');
  const sealed = html.replace(INLINE_SCRIPT, (tag, attributes, code) => {
    if (IS_DATA.test(attributes) || code.trim() === '') return tag;
    const name = `${createHash('sha256').update(code).digest('hex').slice(0, 24)}.js`;
    writeFileSync(join(OUT, FOLDER, name), code);
    // Neither async nor defer: it runs where it stood, as the inline script did.
    return `<script${attributes} src="/${FOLDER}/${name}"></script>`;
  });
  writeFileSync(join(OUT, page), sealed);
  const left = /<script(?![^>]*\ssrc=)(?![^>]*application\/(?:ld\+)?json)[^>]*>\s*\S|\son[a-z]+="/.exec(sealed);
  if (left) throw new Error(`${page} still has an inline script near: ${sealed.slice(left.index, left.index + 120)}`);
}
console.log(`${pages.length} pages without inline scripts`);
