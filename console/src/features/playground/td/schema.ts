import type { TdField, TdMethod, TdType } from '@/lib/types';

/** The td_api of the server, found by name. */
export interface TdIndex {
  readonly methods: ReadonlyMap<string, TdMethod>;
  readonly types: ReadonlyMap<string, TdType>;
}

/** Indexes what the server tells; types may still be on their way, and everything that needs them then knows less. */
export function indexTd(methods: readonly TdMethod[], types: readonly TdType[]): TdIndex {
  return {
    methods: new Map(methods.map((method) => [method.name, method])),
    types: new Map(types.map((type) => [type.name, type])),
  };
}

/** `vector<int64>` → `int64`; undefined for what is no vector. */
export function elementType(type: string): string | undefined {
  return /^vector<(.+)>$/.exec(type)?.[1];
}

/** The names that an object of `type` may have as its @type; empty for what is no object, or not known. */
export function objectNames(index: TdIndex, type: string): readonly string[] {
  const found = index.types.get(type);
  if (!found) return [];
  return found.one_of ?? [found.name];
}

/** The fields of an object by its @type; undefined for a class and for what is not known. */
export function fieldsOf(index: TdIndex, name: string): readonly TdField[] | undefined {
  return index.types.get(name)?.fields;
}

/** How td_api's documentation words what may be left out. TDLib itself takes an absent parameter as empty, 0, false or null. */
const LEFT_OUT =
  /\b(?:pass|use) (?:null|0|an empty|empty)\b|\bmay be (?:null|empty|omitted)\b|\bif none\b|for bots only/i;

/** True for what a call most likely does without: what the documentation calls optional, and switches, which are off. */
export function isOptional(field: TdField): boolean {
  return field.type === 'boolean' || LEFT_OUT.test(field.description);
}

/** Marks the place in a {@link skeleton} that is typed over first. */
const OPEN = '\u0001';
const CLOSE = '\u0002';
const STEP = '  ';

/** A text to insert, and which part of it is to be selected then. */
export interface Insertion {
  readonly text: string;
  readonly selectFrom: number;
  readonly selectTo: number;
}

function withSelection(marked: string): Insertion {
  const open = marked.indexOf(OPEN);
  const close = marked.indexOf(CLOSE);
  const text = marked.replaceAll(OPEN, '').replaceAll(CLOSE, '');
  if (open < 0) return { text, selectFrom: text.length, selectTo: text.length };
  return { text, selectFrom: open, selectTo: close - 1 };
}

const marked = (text: string): string => `${OPEN}${text}${CLOSE}`;

/** Deep enough for a text message; what lies deeper is completed when it is typed. */
const MAX_DEPTH = 3;

function valueOf(index: TdIndex, field: TdField, indent: string, depth: number): string {
  switch (field.type) {
    case 'string':
      return `"${marked('')}"`;
    case 'int64':
      return `"${marked('0')}"`;
    case 'number':
      return marked(/\blimit\b/.test(field.name) ? '10' : '0');
    case 'boolean':
      return marked('true');
  }
  if (elementType(field.type) !== undefined) return `[${marked('')}]`;
  const names = objectNames(index, field.type);
  const [only] = names;
  if (only === undefined) return `{${marked('')}}`;
  if (names.length > 1) return `{\n${indent}${STEP}"@type": "${marked('')}"\n${indent}}`;
  if (depth >= MAX_DEPTH) return `{ "@type": "${only}" }`;
  return objectOf(index, only, indent, depth);
}

/** Lists inside an object, such as the entities of a text, are mostly empty. */
function neededFields(index: TdIndex, name: string): readonly TdField[] {
  return (fieldsOf(index, name) ?? []).filter((field) => !isOptional(field) && elementType(field.type) === undefined);
}

function objectOf(index: TdIndex, name: string, indent: string, depth: number): string {
  const inner = indent + STEP;
  const lines = [
    `${inner}"@type": "${name}"`,
    ...neededFields(index, name).map((field) => `${inner}"${field.name}": ${valueOf(index, field, inner, depth + 1)}`),
  ];
  return lines.length === 1 ? `{ "@type": "${name}" }` : `{\n${lines.join(',\n')}\n${indent}}`;
}

/** A value of the field's type to begin with; lines after the first are indented by `indent`. */
export function valueSkeleton(index: TdIndex, field: TdField, indent: string): Insertion {
  return withSelection(valueOf(index, field, indent, 0));
}

/** What follows an object's @type: its fields that are needed. Empty when there are none. */
export function restSkeleton(index: TdIndex, name: string, indent: string): Insertion {
  return withSelection(
    neededFields(index, name)
      .map((field) => `,\n${indent}"${field.name}": ${valueOf(index, field, indent, 1)}`)
      .join(''),
  );
}

/** The params to begin a method with: what it needs, and the cursor in the first value. */
export function methodSkeleton(index: TdIndex, method: TdMethod): Insertion {
  const needed = method.parameters.filter((field) => !isOptional(field));
  if (method.parameters.length === 0) return { text: '', selectFrom: 0, selectTo: 0 };
  if (needed.length === 0) return withSelection(`{${marked('')}}`);
  const lines = needed.map((field) => `${STEP}"${field.name}": ${valueOf(index, field, STEP, 0)}`);
  return withSelection(`{\n${lines.join(',\n')}\n}`);
}

/** The first sentence of a description, for a list. */
export function firstSentence(text: string): string {
  return /^(.+?[.;])(?:\s|$)/.exec(text)?.[1]?.replace(/[.;]$/, '') ?? text;
}
