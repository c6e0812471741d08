import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { Busboy, type BusboyInstance } from '@fastify/busboy';
import { ValidationFailedError } from '../../common/errors/index.js';

/** The file in a form. */
export interface FormFile {
  /** As the form names it; undefined when it does not. */
  readonly name: string | undefined;
  readonly source: Readable;
}

const MAX_PARTS = 200;
const MULTIPART = /^multipart\/form-data\s*(?:;|$)/i;

export const isMultipart = (contentType: string | undefined): contentType is string =>
  contentType !== undefined && MULTIPART.test(contentType);

/**
 * The first file of a `multipart/form-data` body (RFC 7578), while the body comes in. Everything else of the form is passed over.
 * @throws ValidationFailedError when the form is malformed or has no file among its first {@link MAX_PARTS} parts
 */
export function fileOfForm(request: IncomingMessage, contentType: string): Promise<FormFile> {
  return new Promise((resolve, reject) => {
    const malformed = (message: string): ValidationFailedError => new ValidationFailedError([{ path: '', message }]);
    let form: BusboyInstance;
    try {
      form = new Busboy({
        headers: { ...request.headers, 'content-type': contentType },
        limits: { fieldSize: 64 * 1024, parts: MAX_PARTS, headerPairs: 100 },
      });
    } catch {
      reject(
        new ValidationFailedError([{ path: 'Content-Type', message: 'multipart/form-data must name its boundary' }]),
      );
      return;
    }
    let file: Readable | undefined;
    const broken = (error: Error): void => {
      request.unpipe(form);
      if (file === undefined) reject(malformed('the multipart form is malformed'));
      else file.destroy(error);
    };
    form.on('file', (_field: string, source: Readable, name: string | undefined) => {
      if (file !== undefined) {
        source.resume();
        return;
      }
      file = source;
      // Until somebody reads it nobody listens, and an error without a listener ends the process.
      source.on('error', () => source.destroy());
      resolve({ name: name === undefined || name === '' ? undefined : name, source });
    });
    form.on('partsLimit', () => {
      if (file === undefined) reject(malformed(`the file must be among the first ${MAX_PARTS} parts of the form`));
    });
    form.on('finish', () => {
      if (file === undefined) reject(malformed('the multipart form has no file'));
    });
    form.on('error', (error) => broken(error instanceof Error ? error : new Error('the form is malformed')));
    request.on('error', broken);
    request.on('close', () => {
      if (!request.complete) broken(new Error('the connection was closed'));
    });
    request.pipe(form);
  });
}
