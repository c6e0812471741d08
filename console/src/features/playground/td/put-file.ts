import type { TdMethod } from '@/lib/types';
import { inputFileLocal } from '@/lib/uploads';
import { addParameter, expectType, fieldsHere, type Expected } from './complete';
import { parseJson, type JsonNode } from './json-text';
import { elementType, objectNames, type TdIndex } from './schema';

/** An upload to put into the params. */
export interface PutFile {
  readonly name: string;
  readonly path: string;
}

const INPUT_FILE = 'InputFile';
const CONTENT = 'InputMessageContent';

/** Which kind of message a file becomes, by its name; whatever is not sure to be shown is a document. */
function contentOf({ name, path }: PutFile): string {
  const [kind, field] = /\.(jpe?g|png|webp)$/i.test(name)
    ? ['inputMessagePhoto', 'photo']
    : /\.mp4$/i.test(name)
      ? ['inputMessageVideo', 'video']
      : /\.(mp3|m4a|flac)$/i.test(name)
        ? ['inputMessageAudio', 'audio']
        : ['inputMessageDocument', 'document'];
  return `{ "@type": "${kind}", "${field}": ${inputFileLocal(path)} }`;
}

/** The values of the params for which td_api expects a `type`, in the order of the text. */
function valuesOf(index: TdIndex, node: JsonNode, expected: Expected, type: string): readonly JsonNode[] {
  const own = expected?.kind === 'type' && expected.name === type ? [node] : [];
  switch (node.kind) {
    case 'object': {
      const fields = fieldsHere(index, node, expected);
      const inner = node.members.flatMap(({ name, value }) => {
        const field = fields.find((candidate) => candidate.name === name);
        return valuesOf(index, value, expectType(field?.type), type);
      });
      return [...own, ...inner];
    }
    case 'array': {
      const element = expected?.kind === 'type' ? elementType(expected.name) : undefined;
      return node.items.flatMap((item) => valuesOf(index, item, expectType(element), type));
    }
    case 'string':
    case 'number':
    case 'boolean':
    case 'null':
    case 'word':
    case 'missing':
      return own;
  }
}

/** True when a path is named there already. */
function isTaken(node: JsonNode): boolean {
  if (node.kind !== 'object') return false;
  return node.members.some(
    ({ name, value }) => (name === 'path' || name === 'id') && value.kind === 'string' && value.value !== '',
  );
}

/**
 * Puts an upload where the method takes a file: into the first place for one that is free, else in place of what is sent.
 *
 * @returns undefined when the method takes no file that way
 */
export function putFile(
  index: TdIndex,
  method: TdMethod,
  text: string,
  file: PutFile,
): { readonly text: string; readonly from: number; readonly to: number } | undefined {
  const { root } = parseJson(text);
  const params: Expected = { kind: 'params', fields: method.parameters };
  const place = (type: string): JsonNode | undefined => {
    const found = root?.kind === 'object' ? valuesOf(index, root, params, type) : [];
    return found.find((node) => !isTaken(node)) ?? found.at(0);
  };
  const replace = (node: JsonNode, value: string) => ({
    text: text.slice(0, node.from) + value + text.slice(node.to),
    from: node.from,
    to: node.from + value.length,
  });
  const forFile = place(INPUT_FILE);
  if (forFile) return replace(forFile, inputFileLocal(file.path));
  const forContent = place(CONTENT);
  if (forContent) return replace(forContent, contentOf(file));
  const field = method.parameters.find(({ type }) => type === CONTENT || type === INPUT_FILE);
  if (!field || objectNames(index, field.type).length === 0) return undefined;
  // The field is not there yet: it is added, and then filled.
  return putFile(index, method, addParameter(index, text, field).text, file);
}
