import { ValidationFailedError } from '../errors/index.js';

/** Deeper JSON is refused: reading it again by recursion would overflow the stack. No td_api object comes near. */
const MAX_DEPTH = 100;

interface Frame {
  readonly isArray: boolean;
  index: number;
  key: string;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

function pathOf(frames: readonly Frame[]): string {
  let path = '';
  for (const frame of frames) {
    if (frame.isArray) path += `[${frame.index}]`;
    else path += path === '' ? frame.key : `.${frame.key}`;
  }
  return path;
}

/** The index just after the string that starts at `at`. */
function endOfString(text: string, at: number): number {
  let index = at + 1;
  while (index < text.length) {
    const unit = text.charCodeAt(index);
    if (unit === BACKSLASH) index += 2;
    else if (unit === QUOTE) return index + 1;
    else index += 1;
  }
  return index;
}

const NUMBER = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/y;

function isInexact(token: string): boolean {
  return /^-?\d+$/.test(token) && !Number.isSafeInteger(Number(token));
}

/** Finds what JSON.parse would silently change; the text is valid JSON already. */
function refuseWhatWouldChange(text: string): void {
  const frames: Frame[] = [];
  let expectsKey = false;
  for (let at = 0; at < text.length;) {
    const char = text[at];
    const top = frames.at(-1);
    if (char === '"') {
      const end = endOfString(text, at);
      if (expectsKey && top) {
        top.key = JSON.parse(text.slice(at, end)) as string;
        expectsKey = false;
      }
      at = end;
      continue;
    }
    if (char === '{' || char === '[') {
      frames.push({ isArray: char === '[', index: 0, key: '' });
      if (frames.length > MAX_DEPTH) {
        throw new ValidationFailedError([{ path: '', message: `the body is nested deeper than ${MAX_DEPTH} levels` }]);
      }
      expectsKey = char === '{';
    } else if (char === '}' || char === ']') {
      frames.pop();
      expectsKey = false;
    } else if (char === ',' && top) {
      if (top.isArray) top.index += 1;
      else expectsKey = true;
    } else if (char === '-' || (char !== undefined && char >= '0' && char <= '9')) {
      NUMBER.lastIndex = at;
      const token = NUMBER.exec(text)?.[0] ?? char;
      if (isInexact(token)) {
        const message = 'an integer beyond 2^53 loses digits as a JSON number: send it as a string';
        throw new ValidationFailedError([{ path: pathOf(frames), message }]);
      }
      at += token.length;
      continue;
    }
    at += 1;
  }
}

/** Whether the text needs the slow look: a long run of digits, or very many brackets. */
function isSuspicious(text: string): boolean {
  if (/\d{16}/.test(text)) return true;
  let open = 0;
  for (let at = text.search(/[[{]/); at >= 0 && at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if ((unit === 0x5b || unit === 0x7b) && ++open > MAX_DEPTH) return true;
  }
  return false;
}

/**
 * Reads a request's JSON exactly: what a double cannot hold, and what is nested beyond reason, is refused with its path.
 * An empty body is undefined.
 * @throws ValidationFailedError
 */
export function readJsonBody(text: string): unknown {
  if (text.trim() === '') return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new ValidationFailedError([{ path: '', message: 'the body is not valid JSON' }]);
  }
  if (isSuspicious(text)) refuseWhatWouldChange(text);
  return value;
}
