import type { TdField, TdMethod } from '@/lib/types';
import { parseJson, type JsonNode } from './json-text';
import {
  elementType,
  fieldsOf,
  firstSentence,
  isOptional,
  objectNames,
  restSkeleton,
  valueSkeleton,
  type TdIndex,
} from './schema';

/** One thing that can stand at the cursor, and what choosing it does to the text. */
export interface Suggestion {
  readonly label: string;
  /** The type of a parameter, or the class of an object. */
  readonly detail: string;
  readonly doc: string;
  /** What is replaced: from … to of the text. */
  readonly from: number;
  readonly to: number;
  readonly insert: string;
  /** What is selected afterwards, counted from the beginning of the text. */
  readonly selectFrom: number;
  readonly selectTo: number;
}

/** What is expected of a value: the fields of the params, or a td_api type. */
export type Expected =
  | { readonly kind: 'params'; readonly fields: readonly TdField[] }
  | { readonly kind: 'type'; readonly name: string }
  | undefined;

export const expectType = (name: string | undefined): Expected =>
  name === undefined ? undefined : { kind: 'type', name };

export type ObjectNode = Extract<JsonNode, { kind: 'object' }>;

/** The @type that stands in an object, when it is one. */
function typeNameIn(node: ObjectNode): string | undefined {
  const value = node.members.find(({ name }) => name === '@type')?.value;
  return value?.kind === 'string' ? value.value : undefined;
}

/** The fields that an object may have here, by its @type, else by what is expected. */
export function fieldsHere(index: TdIndex, node: ObjectNode, expected: Expected): readonly TdField[] {
  if (expected?.kind === 'params') return expected.fields;
  const said = typeNameIn(node);
  const bySaid = said === undefined ? undefined : fieldsOf(index, said);
  if (bySaid) return bySaid;
  const names = expected === undefined ? [] : objectNames(index, expected.name);
  const [only] = names;
  return names.length === 1 && only !== undefined ? (fieldsOf(index, only) ?? []) : [];
}

/** Of what stands at the cursor only the part before it narrows the suggestions. */
const typedBefore = (text: string, from: number, cursor: number): string =>
  text.slice(from, cursor).replace(/^"/, '').trim();

function fits(label: string, typed: string): boolean {
  return label.toLowerCase().includes(typed.toLowerCase());
}

/** Those that begin with what is typed come first; else the order stays. */
function ranked(suggestions: readonly Suggestion[], typed: string): readonly Suggestion[] {
  const begins = (suggestion: Suggestion): number =>
    suggestion.label.toLowerCase().startsWith(typed.toLowerCase()) ? 0 : 1;
  return suggestions.filter(({ label }) => fits(label, typed)).sort((a, b) => begins(a) - begins(b));
}

const indentAt = (text: string, offset: number): string => /\n?([ \t]*)[^\n]*$/.exec(text.slice(0, offset))?.[1] ?? '';

/**
 * What can stand at the cursor: names of parameters and fields, names for @type, and values that are one of a few.
 *
 * @returns nothing where anything can stand, and while what the method takes is not known
 */
export function complete(
  index: TdIndex,
  method: TdMethod | undefined,
  text: string,
  cursor: number,
): readonly Suggestion[] {
  if (!method) return [];
  const { root } = parseJson(text);
  if (root?.kind !== 'object') return [];
  return inObject(index, text, cursor, root, { kind: 'params', fields: method.parameters });
}

const isInside = (node: JsonNode, cursor: number): boolean => {
  switch (node.kind) {
    case 'object':
    case 'array':
      return cursor > node.from && (cursor < node.to || !node.closed);
    case 'string':
      return cursor > node.from && (cursor < node.to || !node.closed);
    case 'number':
    case 'boolean':
    case 'null':
    case 'word':
    case 'missing':
      return cursor >= node.from && cursor <= node.to;
  }
};

function inObject(
  index: TdIndex,
  text: string,
  cursor: number,
  node: ObjectNode,
  expected: Expected,
): readonly Suggestion[] {
  if (!isInside(node, cursor)) return [];
  const fields = fieldsHere(index, node, expected);
  for (const member of node.members) {
    if (
      cursor > member.nameFrom &&
      cursor <= member.nameTo &&
      !(cursor === member.nameTo && isClosedName(text, member))
    ) {
      return names(index, text, cursor, node, fields, expected, member.nameFrom, member.nameTo);
    }
    if (!isInside(member.value, cursor)) continue;
    if (member.value.kind === 'missing' && !text.slice(member.nameTo, cursor).includes(':')) continue;
    if (member.name === '@type') return typeNames(index, text, cursor, node, member.value, expected);
    const field = fields.find(({ name }) => name === member.name);
    return inValue(index, text, cursor, member.value, expectType(field?.type), field);
  }
  const before = text.slice(node.from, cursor).trimEnd().at(-1);
  return before === '{' || before === ',' ? names(index, text, cursor, node, fields, expected, cursor, cursor) : [];
}

const isClosedName = (text: string, member: { nameFrom: number; nameTo: number }): boolean =>
  member.nameTo - member.nameFrom > 1 && text.charAt(member.nameTo - 1) === '"';

function inValue(
  index: TdIndex,
  text: string,
  cursor: number,
  node: JsonNode,
  expected: Expected,
  field: TdField | undefined,
): readonly Suggestion[] {
  switch (node.kind) {
    case 'object':
      return inObject(index, text, cursor, node, expected);
    case 'array': {
      const element = expected?.kind === 'type' ? elementType(expected.name) : undefined;
      const item = node.items.find((candidate) => isInside(candidate, cursor));
      if (item) return inValue(index, text, cursor, item, expectType(element), undefined);
      const before = text.slice(node.from, cursor).trimEnd().at(-1);
      return (before === '[' || before === ',') && element !== undefined
        ? values(index, text, cursor, cursor, cursor, { name: '', type: element, description: '' })
        : [];
    }
    case 'missing':
      return field ? values(index, text, cursor, cursor, cursor, field) : [];
    case 'word':
      return field ? values(index, text, cursor, node.from, node.to, field) : [];
    case 'boolean':
    case 'number':
    case 'null':
    case 'string':
      return [];
  }
}

function names(
  index: TdIndex,
  text: string,
  cursor: number,
  node: ObjectNode,
  fields: readonly TdField[],
  expected: Expected,
  from: number,
  to: number,
): readonly Suggestion[] {
  const here = node.members.find(({ nameFrom }) => nameFrom === from && from !== to);
  const taken = new Set(node.members.filter((member) => member !== here).map(({ name }) => name));
  const typed = typedBefore(text, from, cursor);
  const hasValue = text.slice(to).trimStart().startsWith(':');
  const wantsComma = !hasValue && text.slice(to).trimStart().startsWith('"');
  const indent = indentAt(text, from);
  const free = fields
    .filter(({ name }) => !taken.has(name))
    .sort((a, b) => Number(isOptional(a)) - Number(isOptional(b)));
  const suggestions = free.map((field) => suggestName(field));
  const mayHaveType = expected?.kind === 'type' && !taken.has('@type');
  if (mayHaveType) {
    suggestions.unshift(
      suggestName({ name: '@type', type: expected.name, description: 'Which object this is.' }, `""`, 1),
    );
  }
  return ranked(suggestions, typed);

  function suggestName(field: TdField, value?: string, caret = 0): Suggestion {
    const name = `"${field.name}"`;
    const base = { label: field.name, detail: field.type, doc: field.description, from, to };
    if (hasValue) return { ...base, insert: name, selectFrom: from + name.length, selectTo: from + name.length };
    const head = `${name}: `;
    const body =
      value === undefined ? valueSkeleton(index, field, indent) : { text: value, selectFrom: caret, selectTo: caret };
    return {
      ...base,
      insert: `${head}${body.text}${wantsComma ? ', ' : ''}`,
      selectFrom: from + head.length + body.selectFrom,
      selectTo: from + head.length + body.selectTo,
    };
  }
}

function typeNames(
  index: TdIndex,
  text: string,
  cursor: number,
  node: ObjectNode,
  value: JsonNode,
  expected: Expected,
): readonly Suggestion[] {
  if (expected?.kind !== 'type') return [];
  const from = value.kind === 'missing' ? cursor : value.from;
  const to = value.kind === 'missing' ? cursor : value.to;
  const typed = value.kind === 'missing' ? '' : typedBefore(text, from, cursor);
  const isAlone = node.members.length === 1;
  const opening = text.slice(node.from + 1, from);
  const isMultiline = opening.includes('\n');
  const indent = isMultiline ? indentAt(text, from) : `${indentAt(text, node.from)}  `;
  return ranked(
    objectNames(index, expected.name).map((name): Suggestion => {
      const rest = isAlone ? restSkeleton(index, name, indent) : { text: '', selectFrom: 0, selectTo: 0 };
      const quoted = `"${name}"`;
      const at = from + quoted.length;
      return {
        label: name,
        detail: expected.name,
        doc: firstSentence(index.types.get(name)?.description ?? ''),
        from,
        to,
        insert: `${quoted}${rest.text}`,
        selectFrom: at + rest.selectFrom,
        selectTo: at + rest.selectTo,
      };
    }),
    typed,
  );
}

function values(
  index: TdIndex,
  text: string,
  cursor: number,
  from: number,
  to: number,
  field: TdField,
): readonly Suggestion[] {
  const typed = typedBefore(text, from, cursor);
  const lead = from > 0 && text.charAt(from - 1) === ':' ? ' ' : '';
  const indent = indentAt(text, from);
  if (field.type === 'boolean') {
    return ranked(
      ['true', 'false'].map((word) => plain(word, lead + word)),
      typed,
    );
  }
  const names = objectNames(index, field.type);
  return ranked(
    names.map((name) => {
      const head = lead;
      const body = valueSkeleton(index, { ...field, type: name }, indent);
      return {
        label: name,
        detail: field.type,
        doc: firstSentence(index.types.get(name)?.description ?? ''),
        from,
        to,
        insert: head + body.text,
        selectFrom: from + head.length + body.selectFrom,
        selectTo: from + head.length + body.selectTo,
      };
    }),
    typed,
  );

  function plain(label: string, insert: string): Suggestion {
    const end = from + insert.length;
    return { label, detail: field.type, doc: '', from, to, insert, selectFrom: end, selectTo: end };
  }
}

/** Puts a parameter that is not there yet at the end of the params, with a value to begin with. */
export function addParameter(
  index: TdIndex,
  text: string,
  field: TdField,
): { readonly text: string; readonly from: number; readonly to: number } {
  const { root } = parseJson(text);
  const body = valueSkeleton(index, field, '  ');
  const head = `"${field.name}": `;
  if (root?.kind !== 'object') {
    const start = `{\n  ${head}`;
    return {
      text: `${start}${body.text}\n}`,
      from: start.length + body.selectFrom,
      to: start.length + body.selectTo,
    };
  }
  const existing = root.members.find(({ name }) => name === field.name);
  if (existing) return { text, from: existing.value.from, to: existing.value.to };
  const last = root.members.at(-1);
  const at = last ? Math.max(last.value.to, last.nameTo) : root.from + 1;
  const start = `${text.slice(0, at)}${last ? ',' : ''}\n  ${head}`;
  const rest = text.slice(at);
  const tail = rest.trimStart().startsWith('}') ? `\n${rest.trimStart()}` : rest;
  return {
    text: `${start}${body.text}${tail}`,
    from: start.length + body.selectFrom,
    to: start.length + body.selectTo,
  };
}
