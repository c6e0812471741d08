import type { TdField, TdMethod } from '@/lib/types';
import { parseJson, placeOf, type JsonNode } from './json-text';
import { elementType, fieldsOf, objectNames, type TdIndex } from './schema';

/** Something about the params that a person should know before they are sent. */
export interface ParamsIssue {
  /** An error would be refused; a warning is most likely not what was meant, but can be sent. */
  readonly severity: 'error' | 'warning';
  readonly message: string;
  readonly from: number;
  readonly to: number;
}

/** How far a name may be from a known one to be taken for a slip. */
const MAX_DISTANCE = 3;

function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const same = a.charAt(i - 1) === b.charAt(j - 1) ? 0 : 1;
      next.push(Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, (row[j - 1] ?? 0) + same));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}

/** The known name that `name` is most likely meant to be. */
export function closest(name: string, known: readonly string[]): string | undefined {
  const [best] = known
    .map((candidate) => ({ candidate, by: distance(name.toLowerCase(), candidate.toLowerCase()) }))
    .filter(({ by }) => by <= Math.min(MAX_DISTANCE, Math.floor(name.length / 2)))
    .sort((a, b) => a.by - b.by);
  return best?.candidate;
}

const meant = (name: string, known: readonly string[]): string => {
  const best = closest(name, known);
  return best === undefined ? '' : ` Did you mean "${best}"?`;
};

/**
 * What is wrong with the params of a call, the first mistake first.
 *
 * JSON itself is checked always, the rest as far as the method and its types are known. TDLib takes digits in a text for any number;
 * the gateway takes a name or a link for a chat_id.
 */
export function validateParams(index: TdIndex, method: TdMethod | undefined, text: string): readonly ParamsIssue[] {
  const { root, problem } = parseJson(text);
  if (problem) {
    const { line, column } = placeOf(text, problem.from);
    return [{ severity: 'error', ...problem, message: `Line ${line}, column ${column}: ${problem.message}` }];
  }
  if (!root) return [];
  if (root.kind !== 'object') {
    return [{ severity: 'error', message: 'The params are one JSON object: { … }', from: root.from, to: root.to }];
  }
  const issues: ParamsIssue[] = [];
  if (method) checkMembers(index, root, method.parameters, `${method.name} has no parameter`, '', issues);
  else checkTwice(root, issues);
  return issues.sort((a, b) => Number(a.severity === 'warning') - Number(b.severity === 'warning') || a.from - b.from);
}

type ObjectNode = Extract<JsonNode, { kind: 'object' }>;

function checkTwice(node: ObjectNode, issues: ParamsIssue[]): void {
  const seen = new Set<string>();
  for (const { name, nameFrom, nameTo } of node.members) {
    if (seen.has(name)) {
      issues.push({ severity: 'error', message: `"${name}" is given twice.`, from: nameFrom, to: nameTo });
    }
    seen.add(name);
  }
}

function checkMembers(
  index: TdIndex,
  node: ObjectNode,
  fields: readonly TdField[],
  unknown: string,
  path: string,
  issues: ParamsIssue[],
): void {
  checkTwice(node, issues);
  const names = fields.map(({ name }) => name);
  for (const { name, nameFrom, nameTo, value } of node.members) {
    const field = fields.find((candidate) => candidate.name === name);
    if (field) {
      checkValue(index, value, field.type, path === '' ? name : `${path}.${name}`, issues);
    } else if (name !== '@type') {
      const open = names.filter((candidate) => !node.members.some((member) => member.name === candidate));
      issues.push({
        severity: 'warning',
        message: `${unknown} "${name}"; TDLib would pass over it.${meant(name, open)}`,
        from: nameFrom,
        to: nameTo,
      });
    }
  }
}

const IS_DIGITS = /^\s*-?\d+\s*$/;

function checkValue(index: TdIndex, node: JsonNode, type: string, path: string, issues: ParamsIssue[]): void {
  const { from, to } = node;
  const refuse = (message: string): void => {
    issues.push({ severity: 'error', message: `${path}: ${message}`, from, to });
  };
  if (node.kind === 'null') return;
  switch (type) {
    case 'string':
      if (node.kind !== 'string') refuse('this is a text; put it in quotes.');
      return;
    case 'boolean':
      if (node.kind !== 'boolean') refuse('this is true or false, without quotes.');
      return;
    case 'number':
    case 'int64':
      // The gateway finds a chat by its name or link, wherever td_api wants the number of a chat.
      if (node.kind === 'string' && (IS_DIGITS.test(node.value) || /(^|[._])chat_id$/.test(path))) return;
      if (node.kind !== 'number') refuse(`this is a number${type === 'int64' ? ', or its digits in quotes' : ''}.`);
      return;
  }
  const element = elementType(type);
  if (element !== undefined) {
    if (node.kind !== 'array') {
      refuse(`this is a list: [ … ] of ${element}.`);
      return;
    }
    for (const [at, item] of node.items.entries()) checkValue(index, item, element, `${path}[${at}]`, issues);
    return;
  }
  checkObject(index, node, type, path, issues);
}

function checkObject(index: TdIndex, node: JsonNode, type: string, path: string, issues: ParamsIssue[]): void {
  const known = objectNames(index, type);
  if (node.kind !== 'object') {
    issues.push({
      severity: 'error',
      message: `${path}: this is an object: { … } of ${type}.`,
      from: node.from,
      to: node.to,
    });
    return;
  }
  const said = node.members.find(({ name }) => name === '@type')?.value;
  if (known.length === 0) {
    checkTwice(node, issues);
    return;
  }
  if (said === undefined && known.length > 1) {
    issues.push({
      severity: 'error',
      message: `${path}: "@type" says which ${type} it is; one of ${listed(known)}.`,
      from: node.from,
      to: node.from + 1,
    });
    return;
  }
  if (said !== undefined && said.kind !== 'string') {
    issues.push({ severity: 'error', message: `${path}: "@type" is a text.`, from: said.from, to: said.to });
    return;
  }
  if (said !== undefined && !known.includes(said.value)) {
    issues.push({
      severity: 'error',
      message: `${path}: "${said.value}" is no ${type}, which is ${known.length === 1 ? '' : 'one of '}${listed(known)}.${meant(said.value, known)}`,
      from: said.from,
      to: said.to,
    });
    return;
  }
  const name = said?.value ?? known[0] ?? type;
  checkMembers(index, node, fieldsOf(index, name) ?? [], `${path}: ${name} has no field`, path, issues);
}

const LISTED = 5;

function listed(names: readonly string[]): string {
  return names.length > LISTED
    ? `${names.slice(0, LISTED).join(', ')} and ${names.length - LISTED} more`
    : names.join(', ');
}
