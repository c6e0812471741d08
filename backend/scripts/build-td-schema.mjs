// npm run build: writes the td_api schema of the pinned TDLib as JSON, from the declarations that @prebuilt-tdlib/types
// has of it. The result is a product of the build: it lives in dist/ and is never committed.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const require = createRequire(import.meta.url);
const source = join(dirname(require.resolve('@prebuilt-tdlib/types/package.json')), 'tdlib-types.d.ts');
const target = fileURLToPath(new URL('../dist/td-schema.json', import.meta.url));

const text = readFileSync(source, 'utf8');
const file = ts.createSourceFile(source, text, ts.ScriptTarget.Latest, true);
const module = file.statements.find(ts.isModuleDeclaration)?.body;
const [, version] = /Types for TDLib v([\d.]+)/.exec(text) ?? [];
if (version === undefined || !module || !ts.isModuleBlock(module)) fail('it has another form than expected');

const aliases = new Map(module.statements.filter(ts.isTypeAliasDeclaration).map((alias) => [alias.name.text, alias]));
/** Which function answers with what. */
const results = membersOf('$FunctionResultByName');
const synchronous = new Set(unionOf('$SyncFunctionName').map((name) => name.replaceAll("'", '')));

const methods = [...results].map(([name, member]) => {
  const { description, fields } = fieldsOf(name);
  return {
    name,
    description,
    parameters: fields,
    returns: typeOf(member.type),
    synchronous: synchronous.has(name),
    bots_only: /\bfor bots only\b/i.test(description),
  };
});
const types = [...new Set([...aliases.keys()].map(tdNameOf))]
  .filter((name) => name !== '' && !results.has(name) && !['Invoke', 'Execute'].includes(name))
  .map((name) => {
    // Some types are only received and some only sent; of those that are both, only the sent form tells int64 from text.
    const [received, sent] = [name, `${name}$Input`].map((alias) => (aliases.has(alias) ? alias : undefined));
    const alias = received ?? sent ?? fail(`${name} is missing`);
    if (!ts.isTypeLiteralNode(typeNodeOf(alias))) {
      return { name, description: commentOf(aliases.get(alias)), one_of: unionOf(alias) };
    }
    const { description, fields } = fieldsOf(alias);
    const typeSent = new Map((sent ? fieldsOf(sent).fields : []).map((field) => [field.name, field.type]));
    return { name, description, fields: fields.map((f) => ({ ...f, type: typeSent.get(f.name) ?? f.type })) };
  });
if (methods.length === 0 || types.length === 0) fail('it declares nothing');

mkdirSync(dirname(target), { recursive: true });
writeFileSync(target, JSON.stringify({ version, methods, types }));

function fail(why) {
  throw new Error(`${source} cannot be read: ${why}`);
}

function typeNodeOf(name) {
  return aliases.get(name)?.type ?? fail(`${name} is missing`);
}

/** The package calls what is sent of `Foo` `Foo$Input`, and begins its own helpers with `$`. */
function tdNameOf(alias) {
  return alias.replace(/\$.*$/, '');
}

/** The properties of an object type by name. */
function membersOf(name) {
  const type = typeNodeOf(name);
  if (!ts.isTypeLiteralNode(type)) fail(`${name} is no object type`);
  return new Map(type.members.filter(ts.isPropertySignature).map((member) => [member.name.getText(file), member]));
}

function unionOf(name) {
  const type = typeNodeOf(name);
  return (ts.isUnionTypeNode(type) ? [...type.types] : [type]).map(typeOf);
}

/** The fields of a td_api object or function; its own description stands on `_`, which is the package's `@type`. */
function fieldsOf(name) {
  const members = membersOf(name);
  const head = members.get('_') ?? fail(`${name} is no td_api type`);
  members.delete('_');
  const fields = [...members].map(([field, member]) => ({
    name: field,
    type: typeOf(member.type),
    description: commentOf(member),
  }));
  return { description: commentOf(head), fields };
}

/** The comment before a node, in one line: the package wraps its comments anywhere. */
function commentOf(node) {
  return ts
    .getJSDocCommentsAndTags(node)
    .map((doc) => ts.getTextOfJSDocComment(doc.comment) ?? '')
    .join(' ')
    .replace(/\s+/g, ' ')
    .trim();
}

/** A type in td_api's words: `vector<…>`, and `int64` for what is sent as a number or its digits. */
function typeOf(node) {
  if (ts.isTypeReferenceNode(node)) {
    const name = node.typeName.getText(file);
    const [item] = node.typeArguments ?? [];
    if (item && ['Array', 'ReadonlyArray'].includes(name)) return `vector<${typeOf(item)}>`;
    return tdNameOf(name);
  }
  if (ts.isUnionTypeNode(node)) {
    // An absent object is null; td_api marks it in the description alone.
    const parts = node.types.map(typeOf).filter((part) => part !== 'null');
    return parts.join(' | ') === 'number | string' ? 'int64' : parts.join(' | ');
  }
  return node.getText(file);
}
