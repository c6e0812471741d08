import { createHash } from 'node:crypto';
import { createReadStream, readdirSync, statSync } from 'node:fs';
import { extname, join } from 'node:path';
import type { FastifyReply, FastifyRequest } from 'fastify';

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.jpg': 'image/jpeg',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.map': 'application/json; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.webmanifest': 'application/manifest+json',
  '.woff2': 'font/woff2',
};

/** What a page of ours may load: only what comes from here. Scripts in pages are files, never inline. */
export const PAGE_HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; media-src 'self'; " +
    "font-src 'self'; connect-src 'self'; manifest-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  'cross-origin-opener-policy': 'same-origin',
};

interface StaticFile {
  readonly path: string;
  readonly type: string;
  readonly sizeBytes: number;
  readonly etag: string;
  readonly cacheControl: string;
}

/**
 * The files of a directory under their URLs. They are listed once: a request can name nothing else, whatever dots and
 * escapes it holds.
 */
export class StaticSite {
  private readonly files = new Map<string, StaticFile>();

  /**
   * @param immutable prefix of URLs whose files never change under their name
   * @param only when given, the names in the directory that are served
   */
  constructor(
    dir: string,
    { immutable, only }: { readonly immutable?: string; readonly only?: readonly string[] } = {},
  ) {
    for (const entry of readdirSync(dir, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue;
      const path = join(entry.parentPath, entry.name);
      const url = path.slice(dir.length).replaceAll('\\', '/').replace(/^\/*/, '/');
      if (only && !only.includes(url.slice(1))) continue;
      const { size, mtimeMs } = statSync(path);
      this.files.set(url, {
        path,
        type: TYPES[extname(entry.name)] ?? 'application/octet-stream',
        sizeBytes: size,
        etag: `"${createHash('sha256').update(`${url} ${size} ${mtimeMs}`).digest('base64url').slice(0, 20)}"`,
        cacheControl:
          immutable !== undefined && url.startsWith(immutable) ? 'public, max-age=31536000, immutable' : 'no-cache',
      });
    }
  }

  /** Answers with the file of this URL path, a directory's `index.html` included; false when there is none. */
  serve(url: string, request: FastifyRequest, reply: FastifyReply, status = 200): boolean {
    let name: string;
    try {
      name = decodeURIComponent(url);
    } catch {
      return false;
    }
    const file = this.files.get(name.endsWith('/') ? `${name}index.html` : name);
    if (!file) return this.redirectToDirectory(name, request, reply);
    void reply.headers({ ...PAGE_HEADERS, etag: file.etag, 'cache-control': file.cacheControl }).type(file.type);
    if (request.headers['if-none-match'] === file.etag) void reply.code(304).send();
    else {
      void reply
        .code(status)
        .header('content-length', file.sizeBytes)
        .send(request.method === 'HEAD' ? '' : createReadStream(file.path));
    }
    return true;
  }

  private redirectToDirectory(name: string, request: FastifyRequest, reply: FastifyReply): boolean {
    if (name.endsWith('/') || !this.files.has(`${name}/index.html`)) return false;
    const query = request.url.indexOf('?');
    // Encoded anew: the decoded name could begin a host or end the header.
    const target = name.split('/').map(encodeURIComponent).join('/');
    void reply.redirect(`${target}/${query < 0 ? '' : request.url.slice(query)}`, 308);
    return true;
  }
}
