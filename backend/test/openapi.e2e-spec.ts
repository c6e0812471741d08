import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openApiDocument } from '../src/roles/openapi-document.js';
import { type TestApp, master, startApp } from './support/app.js';

interface Operation {
  readonly operationId?: string;
  readonly parameters?: readonly { readonly name: string; readonly in: string }[];
  readonly responses: Record<string, { description?: string; content?: Record<string, { schema?: object }> }>;
}

interface Document {
  readonly openapi: string;
  readonly paths: Record<string, Record<string, Operation>>;
  readonly components: { readonly schemas: Record<string, object> };
}

/** Their answers are headers alone: a protocol of its own, and HEAD. */
const WITHOUT_BODY = /^head |^\w+ \/v1\/uploads/;

const committed = JSON.parse(readFileSync(join(__dirname, '..', 'openapi.json'), 'utf8')) as Document;

describe('the OpenAPI document', () => {
  it('in the repository is what the code says (npm run openapi writes it)', async () => {
    const fresh: unknown = JSON.parse(JSON.stringify(await openApiDocument()));
    expect(fresh).toEqual(committed);
  });

  it('is version 3.1, and every operation has a name of its own and a described answer', () => {
    expect(committed.openapi).toBe('3.1.0');
    const operations = Object.entries(committed.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ name: `${method} ${path}`, ...operation })),
    );
    const ids = operations.map(({ operationId }) => operationId);
    expect(new Set(ids).size).toBe(ids.length);
    for (const { name, operationId, responses } of operations) {
      expect({ name, operationId }).toEqual({ name, operationId: expect.stringMatching(/^[a-z][A-Za-z]+$/) });
      const [answer] = Object.entries(responses).flatMap(([status, each]) => (/^2/.test(status) ? [each] : []));
      expect({ name, answer: answer?.description }).toEqual({ name, answer: expect.stringMatching(/\w/) });
      if (WITHOUT_BODY.test(name)) continue;
      const [content] = Object.values(responses['200']?.content ?? {});
      expect({ name, answer: content?.schema }).toEqual({ name, answer: expect.any(Object) });
    }
  });

  it('describes every parameter of every path', () => {
    for (const [path, methods] of Object.entries(committed.paths)) {
      const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name).sort();
      for (const [method, { parameters = [] }] of Object.entries(methods)) {
        const described = parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => name);
        expect({ path, method, described: described.sort() }).toEqual({ path, method, described: inPath });
      }
    }
  });

  it('refers only to schemas that it holds', () => {
    const names = [...JSON.stringify(committed).matchAll(/#\/components\/schemas\/([A-Za-z]+)/g)].map(
      ([, name]) => name,
    );
    expect(Object.keys(committed.components.schemas)).toEqual(expect.arrayContaining([...new Set(names)]));
  });

  it('holds no internal route', () => {
    expect(Object.keys(committed.paths).filter((path) => path.startsWith('/internal'))).toEqual([]);
  });

  describe('served', () => {
    let app: TestApp;

    beforeAll(async () => {
      app = await startApp({ role: 'gateway' });
    });

    afterAll(() => app.stop());

    it('is the same document, open to everybody', async () => {
      const answer = await app.http().get('/v1/openapi.json').expect(200);
      expect(answer.body).toEqual(committed);
    });

    it('was made without changing the routes of who makes it', async () => {
      const answer = await app.http().get('/v1/pools/none/objects/a/b').set(master).expect(404);
      expect(answer.body).toMatchObject({ error: { code: 'pool_not_found' } });
    });

    it('has a page that loads nothing from elsewhere', async () => {
      const page = await app.http().get('/docs').expect(200);
      expect(page.headers['content-security-policy']).toContain("script-src 'self'");
      expect(page.text).not.toMatch(/https?:\/\//);
      const files = [...page.text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, file]) => file ?? '');
      expect(files).toHaveLength(3);
      for (const file of files) {
        const answer = await app.http().get(file).expect(200);
        expect(answer.headers['content-type']).toMatch(/^text\/(css|javascript)/);
      }
      await app.http().get('/docs/package.json').expect(404);
      await app.http().get('/docs/..%2fpackage.json').expect(404);
    });
  });
});
