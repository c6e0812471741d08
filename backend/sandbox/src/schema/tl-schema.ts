import { unzipSync } from 'node:zlib';
import { loadDefinitions, type TlDefinition, type TlDefinitions, type TlParameter } from './definitions.js';
import { isTlObject, type TlObject } from './tl-object.js';
import { TlParseError, TlReader } from './tl-reader.js';
import { TlWriter } from './tl-writer.js';

const VECTOR = 0x1cb5c415;
const BOOL_TRUE = 0x997275b5;
const BOOL_FALSE = 0xbc799737;
const GZIP_PACKED = 0x3072cfa1;
const TRUE = 0x3fedd339;

type Read = (reader: TlReader) => unknown;
type Write = (writer: TlWriter, value: unknown) => void;

interface Field {
  readonly name: string;
  /** Index of the flags word in the constructor's own list, and the bit; undefined when the field is always there. */
  readonly flag: { readonly word: number; readonly mask: number } | undefined;
  readonly kind: 'flags' | 'true' | 'value';
  readonly word: number;
  readonly read: Read;
  readonly write: Write;
}

interface Compiled {
  readonly definition: TlDefinition;
  readonly fields: readonly Field[];
  readonly flagWords: number;
  readonly writeResult: Write;
}

/** An object could not be written: a field is missing or has another type than the schema wants. */
export class TlWriteError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'TlWriteError';
  }
}

/**
 * The TL schema, compiled once into readers and writers.
 *
 * It reads the union of all constructors it knows and writes those of one layer, so that a later layer can be laid over
 * the base by giving its definitions after the base's.
 */
export class TlSchema {
  private readonly byId = new Map<number, Compiled>();
  private readonly byName = new Map<string, Compiled>();
  readonly layer: number;

  constructor(definitions: TlDefinitions = loadDefinitions()) {
    this.layer = definitions.layer;
    for (const definition of definitions.entries) {
      const compiled = this.compile(definition);
      this.byId.set(definition.id, compiled);
      this.byName.set(definition.name, compiled);
    }
  }

  /** Layers whose clients are understood. */
  supports(layer: number): boolean {
    return layer === this.layer;
  }

  has(name: string): boolean {
    return this.byName.has(name);
  }

  isMethod(name: string): boolean {
    return this.byName.get(name)?.definition.kind === 'method';
  }

  /** Name of the constructor or method with this id. */
  nameOf(id: number): string | undefined {
    return this.byId.get(id)?.definition.name;
  }

  /**
   * Reads one boxed object or call; `gzip_packed` is unpacked wherever it stands.
   * @throws TlParseError for an unknown constructor or bytes that do not fit it.
   */
  read(input: Buffer | TlReader): TlObject {
    const value = this.readBoxed(input instanceof TlReader ? input : new TlReader(input));
    if (!isTlObject(value)) throw new TlParseError('not an object');
    return value;
  }

  /** @throws TlWriteError */
  write(object: TlObject): Buffer {
    const writer = new TlWriter();
    this.writeBoxed(writer, object);
    return writer.finish();
  }

  /**
   * Writes what a method returned, by the method's result type: `Bool`, a vector, or an object.
   * @throws TlWriteError
   */
  writeResult(method: string, value: unknown): Buffer {
    const compiled = this.byName.get(method);
    if (!compiled) throw new TlWriteError(`no method ${method}`);
    const writer = new TlWriter();
    compiled.writeResult(writer, value);
    return writer.finish();
  }

  private compile(definition: TlDefinition): Compiled {
    const words = definition.arguments.filter((argument) => argument.type === '#').map((argument) => argument.name);
    const fields = definition.arguments.map((parameter) => this.compileField(parameter, words, definition.name));
    const writeResult = this.writerOf({
      name: 'result',
      type: definition.type,
      typeModifiers: { isVector: definition.typeModifiers?.isVector === true },
    });
    return {
      definition,
      fields,
      flagWords: words.length,
      writeResult: naming(writeResult, `result of ${definition.name}`),
    };
  }

  private compileField(parameter: TlParameter, words: readonly string[], owner: string): Field {
    const [word, bit] = parameter.typeModifiers?.predicate?.split('.') ?? [];
    const flag =
      word === undefined || bit === undefined
        ? undefined
        : { word: words.indexOf(word), mask: (1 << Number(bit)) >>> 0 };
    const kind = parameter.type === '#' ? 'flags' : parameter.type === 'true' ? 'true' : 'value';
    return {
      name: parameter.name,
      flag,
      kind,
      word: words.indexOf(parameter.name),
      read: this.readerOf(parameter),
      write: naming(this.writerOf(parameter), `${owner}.${parameter.name}`),
    };
  }

  private readBoxed(reader: TlReader): unknown {
    const id = reader.uint();
    const compiled = this.byId.get(id);
    if (compiled) return readFields(compiled, reader);
    switch (id) {
      case GZIP_PACKED:
        // TDLib calls its zlib stream gzip (RFC 1950, not 1952); unzip takes both.
        return this.readBoxed(new TlReader(unzipSync(reader.bytes())));
      case BOOL_TRUE:
        return true;
      case BOOL_FALSE:
        return false;
      case TRUE:
        return { _: 'true' };
      default:
        throw new TlParseError(`unknown constructor 0x${id.toString(16).padStart(8, '0')}`);
    }
  }

  private writeBoxed(writer: TlWriter, value: unknown): void {
    if (!isTlObject(value)) throw new TlWriteError(`wanted an object, got ${describe(value)}`);
    const compiled = this.byName.get(value._);
    if (!compiled) throw new TlWriteError(`no constructor ${value._}`);
    writer.uint(compiled.definition.id);
    writeFields(compiled, writer, value);
  }

  private readerOf(parameter: TlParameter): Read {
    const modifiers = parameter.typeModifiers;
    if (modifiers?.isVector !== true && modifiers?.isBareVector !== true) return this.itemReader(parameter);
    const item = this.itemReader(parameter);
    const bare = modifiers.isBareVector === true;
    return (reader) => {
      if (!bare) {
        const id = reader.uint();
        if (id !== VECTOR) throw new TlParseError(`wanted a vector, got 0x${id.toString(16)}`);
      }
      const count = reader.uint();
      // Every item takes four bytes or more, so a larger count can only be garbage.
      if (count * 4 > reader.remaining) throw new TlParseError(`a vector of ${String(count)} items does not fit`);
      return Array.from({ length: count }, () => item(reader));
    };
  }

  private itemReader(parameter: TlParameter): Read {
    switch (parameter.type) {
      case '#':
        return (reader) => reader.uint();
      case 'true':
        return () => true;
      case 'int':
        return (reader) => reader.int();
      case 'long':
        return (reader) => reader.long();
      case 'int53':
        return (reader) => reader.int53();
      case 'double':
        return (reader) => reader.double();
      case 'string':
        return (reader) => reader.string();
      case 'bytes':
        return (reader) => reader.bytes();
      case 'int128':
        return (reader) => reader.raw(16);
      case 'int256':
        return (reader) => reader.raw(32);
      case 'Bool':
        return readBool;
      default:
        return parameter.typeModifiers?.isBareType === true
          ? this.bareReader(parameter)
          : (reader) => this.readBoxed(reader);
    }
  }

  private bareReader(parameter: TlParameter): Read {
    return (reader) => {
      const compiled = this.byName.get(parameter.type);
      if (!compiled) throw new TlParseError(`no bare type ${parameter.type}`);
      return readFields(compiled, reader);
    };
  }

  private writerOf(parameter: TlParameter): Write {
    const modifiers = parameter.typeModifiers;
    const item = this.itemWriter(parameter);
    if (modifiers?.isVector !== true && modifiers?.isBareVector !== true) return item;
    const bare = modifiers.isBareVector === true;
    return (writer, value) => {
      if (!Array.isArray(value)) throw new TlWriteError(`wanted a vector, got ${describe(value)}`);
      if (!bare) writer.uint(VECTOR);
      writer.uint(value.length);
      for (const element of value) item(writer, element);
    };
  }

  private itemWriter(parameter: TlParameter): Write {
    switch (parameter.type) {
      case '#':
      case 'int':
        return (writer, value) => writer.int(asNumber(value));
      case 'true':
        return () => undefined;
      case 'long':
        return (writer, value) => writer.long(asBigint(value));
      case 'int53':
        return (writer, value) => (typeof value === 'bigint' ? writer.long(value) : writer.int53(asNumber(value)));
      case 'double':
        return (writer, value) => writer.double(asNumber(value));
      case 'string':
        return (writer, value) => writer.string(asString(value));
      case 'bytes':
        return (writer, value) => writer.bytes(asBytes(value));
      case 'int128':
        return (writer, value) => writer.raw(asBytes(value, 16));
      case 'int256':
        return (writer, value) => writer.raw(asBytes(value, 32));
      case 'Bool':
        return (writer, value) => writer.uint(asBool(value) ? BOOL_TRUE : BOOL_FALSE);
      default:
        return parameter.typeModifiers?.isBareType === true
          ? this.bareWriter(parameter)
          : (writer, value) => {
              this.writeBoxed(writer, value);
            };
    }
  }

  private bareWriter(parameter: TlParameter): Write {
    return (writer, value) => {
      const compiled = this.byName.get(parameter.type);
      if (!compiled || !isTlObject(value)) throw new TlWriteError(`wanted ${parameter.type}, got ${describe(value)}`);
      writeFields(compiled, writer, value);
    };
  }
}

function readFields(compiled: Compiled, reader: TlReader): TlObject {
  const object: Record<string, unknown> & { _: string } = { _: compiled.definition.name };
  const words: number[] = [];
  for (const field of compiled.fields) {
    if (field.kind === 'flags') {
      words.push(reader.uint());
    } else if (!field.flag || ((words[field.flag.word] ?? 0) & field.flag.mask) !== 0) {
      object[field.name] = field.read(reader);
    }
  }
  return object;
}

function writeFields(compiled: Compiled, writer: TlWriter, object: TlObject): void {
  const words = new Array<number>(compiled.flagWords).fill(0);
  const places = new Array<number>(compiled.flagWords).fill(0);
  for (const field of compiled.fields) {
    if (field.kind === 'flags') {
      places[field.word] = writer.reserve();
      continue;
    }
    const value = object[field.name];
    if (field.flag) {
      if (value === undefined || (field.kind === 'true' && value !== true)) continue;
      words[field.flag.word] = ((words[field.flag.word] ?? 0) | field.flag.mask) >>> 0;
    }
    field.write(writer, value);
  }
  places.forEach((place, index) => {
    writer.patchUint(place, words[index] ?? 0);
  });
}

function readBool(reader: TlReader): boolean {
  const id = reader.uint();
  if (id === BOOL_TRUE) return true;
  if (id === BOOL_FALSE) return false;
  throw new TlParseError(`wanted a Bool, got 0x${id.toString(16)}`);
}

/** Makes a write error say which field it was, from the outside in. */
function naming(write: Write, where: string): Write {
  return (writer, value) => {
    try {
      write(writer, value);
    } catch (error) {
      if (error instanceof TlWriteError) throw new TlWriteError(`${where}: ${error.message}`);
      throw error;
    }
  };
}

function describe(value: unknown): string {
  if (isTlObject(value)) return value._;
  return value === null ? 'null' : Array.isArray(value) ? 'an array' : typeof value;
}

function asNumber(value: unknown): number {
  if (typeof value !== 'number' || !Number.isFinite(value))
    throw new TlWriteError(`wanted a number, got ${describe(value)}`);
  return value;
}

function asBigint(value: unknown): bigint {
  if (typeof value === 'bigint') return value;
  if (typeof value === 'number' && Number.isSafeInteger(value)) return BigInt(value);
  throw new TlWriteError(`wanted a 64-bit integer, got ${describe(value)}`);
}

function asString(value: unknown): string {
  if (typeof value !== 'string') throw new TlWriteError(`wanted a string, got ${describe(value)}`);
  return value;
}

function asBytes(value: unknown, length?: number): Uint8Array {
  if (!(value instanceof Uint8Array)) throw new TlWriteError(`wanted bytes, got ${describe(value)}`);
  if (length !== undefined && value.length !== length) throw new TlWriteError(`wanted ${String(length)} bytes`);
  return value;
}

function asBool(value: unknown): boolean {
  if (typeof value !== 'boolean') throw new TlWriteError(`wanted a boolean, got ${describe(value)}`);
  return value;
}
