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
  const inexact = indexOfInexact(text);
  if (inexact >= 0) {
    const message = 'an integer beyond 2^53 loses digits as a JSON number: send it as a string';
    throw new ValidationFailedError([{ path: pathAt(text, inexact), message }]);
  }
  return value;
}
