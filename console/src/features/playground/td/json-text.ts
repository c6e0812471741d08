/** A value of a JSON text, with where it stands: from its first character to behind its last. */
export type JsonNode = { readonly from: number; readonly to: number } & (
  | { readonly kind: 'object'; readonly members: readonly JsonMember[]; readonly closed: boolean }
  | { readonly kind: 'array'; readonly items: readonly JsonNode[]; readonly closed: boolean }
  | { readonly kind: 'string'; readonly value: string; readonly closed: boolean }
  | { readonly kind: 'number'; readonly text: string }
  | { readonly kind: 'boolean' }
  | { readonly kind: 'null' }
  /** Something that is no JSON value, such as text without quotes. */
  | { readonly kind: 'word'; readonly text: string }
  /** Nothing stands where a value is expected. */
  | { readonly kind: 'missing' }
);

/** A name with its value. */
export interface JsonMember {
  readonly name: string;
  readonly nameFrom: number;
  readonly nameTo: number;
  readonly value: JsonNode;
}

/** What is wrong at a place of the text. */
export interface JsonProblem {
  readonly message: string;
  readonly from: number;
  readonly to: number;
}

/** A text as far as it can be understood, with the first thing that keeps it from being JSON. */
export interface ParsedJson {
  readonly root: JsonNode | undefined;
  readonly problem: JsonProblem | undefined;
}

const NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;
const SPACE = /\s/;
/** What ends a word without quotes. */
const WORD_END = /[\s,:[\]{}"]/;
/** Deeper nesting is no params of anybody; the limit keeps the parser's own stack small. */
const MAX_DEPTH = 64;

/**
 * Reads JSON that is still being typed: what is missing or too much is noted, and reading goes on, so that an editor knows where
 * its cursor stands. A text without a problem is JSON.
 */
export function parseJson(text: string): ParsedJson {
  let at = 0;
  let problem: JsonProblem | undefined;
  const complain = (message: string, from: number, to = from): void => {
    problem ??= { message, from, to };
  };
  const skipSpace = (): void => {
    while (at < text.length && SPACE.test(text.charAt(at))) at += 1;
  };

  function readString(): { value: string; from: number; to: number; closed: boolean } {
    const from = at;
    at += 1;
    while (at < text.length && text.charAt(at) !== '"' && text.charAt(at) !== '\n') {
      at += text.charAt(at) === '\\' ? 2 : 1;
    }
    at = Math.min(at, text.length);
    const closed = text.charAt(at) === '"';
    if (closed) at += 1;
    else complain('A text ends with a quote on the line where it begins; \\n stands for a new line.', from, at);
    const raw = text.slice(from, at);
    try {
      return { value: String(JSON.parse(closed ? raw : `${raw}"`)), from, to: at, closed };
    } catch {
      complain('In a text, \\ stands before one of " \\ / b f n r t u, and tabs are written as \\t.', from, at);
      return { value: raw.slice(1), from, to: at, closed };
    }
  }

  function readWord(): JsonNode {
    const from = at;
    while (at < text.length && !WORD_END.test(text.charAt(at))) at += 1;
    const word = text.slice(from, at);
    if (word === 'true' || word === 'false') return { kind: 'boolean', from, to: at };
    if (word === 'null') return { kind: 'null', from, to: at };
    if (NUMBER.test(word)) return { kind: 'number', text: word, from, to: at };
    complain(`Put “${word}” in quotes: a value is a text, a number, true, false, null, { … } or [ … ].`, from, at);
    return { kind: 'word', text: word, from, to: at };
  }

  function readValue(depth: number): JsonNode {
    const from = at;
    skipSpace();
    const first = text.charAt(at);
    if (first === '"') return { kind: 'string', ...readString() };
    if (first === '' || first === ',' || first === ':' || first === '}' || first === ']') {
      complain('A value is missing here.', from, at);
      return { kind: 'missing', from, to: at };
    }
    if (depth >= MAX_DEPTH && (first === '{' || first === '[')) {
      complain('This is nested too deep.', at, text.length);
      at = text.length;
      return { kind: 'missing', from, to: at };
    }
    if (first === '{') return readObject(depth + 1);
    if (first === '[') return readArray(depth + 1);
    return readWord();
  }

  function readObject(depth: number): JsonNode {
    const from = at;
    const members: JsonMember[] = [];
    at += 1;
    let wantsComma = false;
    let comma = -1;
    for (;;) {
      skipSpace();
      const next = text.charAt(at);
      if (next === '') {
        complain('A } is missing for the { here.', from, from + 1);
        return { kind: 'object', members, closed: false, from, to: at };
      }
      if (next === '}') {
        if (comma >= 0) complain('There is a comma, but nothing follows it.', comma, comma + 1);
        at += 1;
        return { kind: 'object', members, closed: true, from, to: at };
      }
      if (next === ',') {
        if (!wantsComma) complain('This comma is one too many.', at, at + 1);
        comma = at;
        wantsComma = false;
        at += 1;
        continue;
      }
      if (next === ']' || next === '[' || next === '{' || next === ':') {
        complain('A name in quotes is expected here.', at, at + 1);
        at += 1;
        continue;
      }
      if (wantsComma) complain('A comma is missing before this.', at, at + 1);
      const name = next === '"' ? readString() : bareName();
      comma = -1;
      skipSpace();
      let value: JsonNode;
      if (text.charAt(at) === ':') {
        at += 1;
        value = readValue(depth);
      } else {
        complain(`A colon and a value are missing behind "${name.value}".`, name.from, name.to);
        value = { kind: 'missing', from: name.to, to: name.to };
      }
      members.push({ name: name.value, nameFrom: name.from, nameTo: name.to, value });
      wantsComma = true;
    }
  }

  function bareName(): { value: string; from: number; to: number } {
    const word = readWord();
    const value = text.slice(word.from, word.to);
    complain(`Names stand in quotes: "${value}".`, word.from, word.to);
    return { value, from: word.from, to: word.to };
  }

  function readArray(depth: number): JsonNode {
    const from = at;
    const items: JsonNode[] = [];
    at += 1;
    let wantsComma = false;
    for (;;) {
      skipSpace();
      const next = text.charAt(at);
      if (next === '') {
        complain('A ] is missing for the [ here.', from, from + 1);
        return { kind: 'array', items, closed: false, from, to: at };
      }
      if (next === ']') {
        at += 1;
        return { kind: 'array', items, closed: true, from, to: at };
      }
      if (next === ',') {
        if (!wantsComma) complain('This comma is one too many.', at, at + 1);
        wantsComma = false;
        at += 1;
        continue;
      }
      if (next === '}' || next === ':') {
        complain(`A ${next} has no place in a [ … ].`, at, at + 1);
        at += 1;
        continue;
      }
      if (wantsComma) complain('A comma is missing before this.', at, at + 1);
      items.push(readValue(depth));
      wantsComma = true;
    }
  }

  skipSpace();
  if (at >= text.length) return { root: undefined, problem: undefined };
  const root = readValue(0);
  skipSpace();
  if (at < text.length) complain('The params end before this.', at, text.length);
  return { root, problem };
}

/** Line and column, both from 1, for people. */
export function placeOf(text: string, offset: number): { readonly line: number; readonly column: number } {
  const before = text.slice(0, offset).split('\n');
  return { line: before.length, column: (before.at(-1) ?? '').length + 1 };
}
