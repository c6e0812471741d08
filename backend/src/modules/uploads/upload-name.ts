import { ValidationFailedError } from '../../common/errors/index.js';

const MAX_NAME_BYTES = 255;
/** Ours begin so and lie beside the upload. */
export const OWN_PREFIX = '.upload.';
/** Path separators, control characters, half characters, and the marks that turn the direction of text and so hide an ending. */
// eslint-disable-next-line no-control-regex -- these are what is looked for
const FORBIDDEN = /[/\\\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\p{Surrogate}]/gu;

/** Whether a text is one plain name of at most 255 bytes, which means the same to every file system and to whoever reads it. */
export function isPlainName(text: string): boolean {
  return text === plainNameOf(text) && Buffer.byteLength(text) <= MAX_NAME_BYTES;
}

/** A plain name for what may be none: `_` stands for each character that no such name has. */
export function plainNameOf(text: string): string {
  const name = text.replace(FORBIDDEN, '_');
  return name === '' || name === '.' || name === '..' ? '_' : name;
}

/**
 * The name of an upload, which becomes the name of a file on disk and at Telegram.
 * @throws ValidationFailedError unless it is one plain name of at most 255 bytes
 */
export function validUploadName(name: unknown): string {
  if (name === undefined || Array.isArray(name)) {
    throw new ValidationFailedError([
      { path: 'name', message: name === undefined ? 'name is required' : 'name may be given only once' },
    ]);
  }
  if (typeof name !== 'string' || name.startsWith(OWN_PREFIX) || !isPlainName(name)) {
    throw new ValidationFailedError([{ path: 'name', message: 'invalid file name (basename only, <=255 bytes)' }]);
  }
  return name;
}
