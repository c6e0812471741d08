import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, it } from 'node:test';
import { at, root } from '../launch/lib/project.mjs';

const PAGES = ['README.md', 'CONTRIBUTING.md', ...markdownBelow('docs')];
const { scripts } = JSON.parse(readFileSync(at('package.json'), 'utf8'));

function markdownBelow(folder) {
  if (!existsSync(at(folder))) return [];
  const files = readdirSync(at(folder), { recursive: true }).filter((file) => file.endsWith('.md'));
  return files.map((file) => join(folder, file));
}

const withoutCode = (text) => text.replace(/```[\s\S]*?```/g, '').replace(/`[^`\n]*`/g, '');

/** As GitHub makes an anchor of a heading. */
const anchorOf = (heading) =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\- _]/gu, '')
    .trim()
    .replaceAll(' ', '-');

const anchorsIn = (file) =>
  [
    ...readFileSync(file, 'utf8')
      .replace(/```[\s\S]*?```/g, '')
      .matchAll(/^#+ (.*)$/gm),
  ].map(([, heading]) => anchorOf(heading));

describe('the documentation', () => {
  for (const page of PAGES) {
    it(`${page} links only to what is there`, () => {
      const text = withoutCode(readFileSync(at(page), 'utf8'));
      const targets = [...text.matchAll(/\]\(([^)\s]+)\)/g)]
        .map(([, target]) => target)
        .filter((t) => !/^[a-z]+:/.test(t));
      for (const target of targets) {
        const [path = '', anchor] = target.split('#');
        const file = path === '' ? at(page) : join(dirname(at(page)), path);
        assert.ok(existsSync(file), `${page} → ${target}`);
        if (anchor !== undefined) assert.ok(anchorsIn(file).includes(anchor), `${page} → ${target}: no such heading`);
      }
    });

    it(`${page} names only npm commands that exist`, () => {
      const text = readFileSync(at(page), 'utf8');
      const named = [...text.matchAll(/npm run ([a-z:]+)(?! *-w| *--workspace)/g)].map(([, script]) => script);
      assert.deepEqual(
        named.filter((script) => !(script in scripts)),
        [],
      );
    });

    it(`${page} names only files that exist`, () => {
      const text = readFileSync(at(page), 'utf8');
      const named = [...text.matchAll(/`((?:backend|console|deploy|docs)\/[\w./-]*[\w/])`/g)].map(([, path]) => path);
      const built = /(^|\/)(dist|out|node_modules)(\/|$)/;
      assert.deepEqual(
        named.filter((path) => !built.test(path) && !existsSync(at(path))),
        [],
      );
    });
  }

  it('has a page for each decision, numbered without a gap', () => {
    const numbers = readdirSync(at('docs/adr'))
      .filter((file) => file.endsWith('.md'))
      .sort()
      .map((file) => Number(file.slice(0, 4)));
    assert.deepEqual(
      numbers,
      numbers.map((_, index) => index + 1),
      relative(root, at('docs/adr')),
    );
  });
});
