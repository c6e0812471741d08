import { ValidationFailedError } from '../errors/index.js';

/** Deeper JSON is refused: reading it again by recursion would overflow the stack. No td_api object comes near. */
const MAX_DEPTH = 100;

interface Frame {
  readonly isArray: boolean;
  index: number;
  /** Where the text of the last key starts and ends. */
  key: readonly [number, number] | undefined;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

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

const isDigit = (unit: number): boolean => unit >= 0x30 && unit <= 0x39;
/** What may follow a number's whole part in the number. */
const isFraction = (unit: number): boolean =>
  isDigit(unit) || unit === 0x2e || unit === 0x65 || unit === 0x45 || unit === 0x2b || unit === 0x2d;

/** 2^53 has 16 digits. */
const SUSPICIOUS_DIGITS = 16;

/**
 * The index of the first integer that JSON.parse would change, or -1. One pass over character codes without making
 * anything, because every body goes through it; the text is valid JSON already.
 * @throws ValidationFailedError for nesting deeper than MAX_DEPTH
 */
function indexOfInexact(text: string): number {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === QUOTE) {
      at = endOfString(text, at) - 1;
    } else if (unit === 0x7b || unit === 0x5b) {
      if (++depth > MAX_DEPTH) {
        throw new ValidationFailedError([{ path: '', message: `the body is nested deeper than ${MAX_DEPTH} levels` }]);
      }
    } else if (unit === 0x7d || unit === 0x5d) {
      depth -= 1;
    } else if (isDigit(unit)) {
      const start = at;
      while (isDigit(text.charCodeAt(at))) at += 1;
      const isInteger = !isFraction(text.charCodeAt(at));
      if (isInteger && at - start >= SUSPICIOUS_DIGITS && !Number.isSafeInteger(Number(text.slice(start, at)))) {
        return start;
      }
      while (isFraction(text.charCodeAt(at))) at += 1;
      at -= 1;
    }
  }
  return -1;
}

/** The path of the value at an index that {@link indexOfInexact} found. */
function pathAt(text: string, index: number): string {
  const frames: Frame[] = [];
  let expectsKey = false;
  for (let at = 0; at < index; at++) {
    const unit = text.charCodeAt(at);
    const top = frames.at(-1);
    if (unit === QUOTE) {
      const end = endOfString(text, at);
      if (expectsKey && top) top.key = [at, end];
      expectsKey = false;
      at = end - 1;
    } else if (unit === 0x7b || unit === 0x5b) {
      frames.push({ isArray: unit === 0x5b, index: 0, key: undefined });
      expectsKey = unit === 0x7b;
    } else if (unit === 0x7d || unit === 0x5d) {
      frames.pop();
    } else if (unit === 0x2c && top) {
      if (top.isArray) top.index += 1;
      else expectsKey = true;
    }
  }
  return frames.reduce((path, frame) => {
    if (frame.isArray) return `${path}[${frame.index}]`;
    const key = frame.key ? (JSON.parse(text.slice(...frame.key)) as string) : '';
    return path === '' ? key : `${path}.${key}`;
  }, '');
}

/** The escape of a surrogate, which may be one of a pair or alone. */
const SURROGATE_ESCAPE = /\\u[dD][89a-fA-F]/;
/** Read by code points, only those that are alone match. */
const LONE_SURROGATE = /\p{Surrogate}/u;

/** The path of the first string, or of the first object with a key, that has half of a pair; undefined when there is none. */
function pathOfHalfPair(value: unknown, path: string): string | undefined {
  if (typeof value === 'string') return LONE_SURROGATE.test(value) ? path : undefined;
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [key, member] of Object.entries(value)) {
    if (LONE_SURROGATE.test(key)) return path;
    const step = Array.isArray(value) ? `[${key}]` : path === '' ? key : `.${key}`;
    const found = pathOfHalfPair(member, `${path}${step}`);
    if (found !== undefined) return found;
  }
  return undefined;
}

/**
 * Reads a request's JSON exactly: what a double cannot hold, what is nested beyond reason, and half of a surrogate pair,
 * which is no text and which neither PostgreSQL nor TDLib takes, is refused with its path.
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
  const inexact = indexOfInexact(text);
  if (inexact >= 0) {
    const message = 'an integer beyond 2^53 loses digits as a JSON number: send it as a string';
    throw new ValidationFailedError([{ path: pathAt(text, inexact), message }]);
  }
  const halved = SURROGATE_ESCAPE.test(text) ? pathOfHalfPair(value, '') : undefined;
  if (halved !== undefined) {
    throw new ValidationFailedError([{ path: halved, message: 'half of a surrogate pair is not text' }]);
  }
  return value;
}
