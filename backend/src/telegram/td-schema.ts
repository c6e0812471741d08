import { readFile } from 'node:fs/promises';
import { classOf, type MethodClass } from './method-classes.js';
import { isReservedMethod } from './reserved-methods.js';

/** A parameter of a function, or a field of an object. */
export interface TdField {
  readonly name: string;
  /** td_api's name of the type: `string`, `number`, `boolean`, `int64` (digits in a string), `vector<…>`, or an object's. */
  readonly type: string;
  readonly description: string;
}

/** A td_api function. */
export interface TdMethod {
  readonly name: string;
  readonly class: MethodClass;
  /** The gateway keeps it for itself: nobody calls it through the API. */
  readonly reserved: boolean;
  readonly description: string;
  readonly parameters: readonly TdField[];
  readonly returns: string;
  /** It can be run by `/v1/execute`, without a session. */
  readonly synchronous: boolean;
  /** td_api says that users cannot call it. */
  readonly bots_only: boolean;
}

/** A td_api type: an object with its fields, or a class with the objects that it may be. */
export interface TdType {
  readonly name: string;
  readonly description: string;
  readonly fields?: readonly TdField[];
  readonly one_of?: readonly string[];
}

/** The td_api of the TDLib that this build has. */
export interface TdSchema {
  /** TDLib's. */
  readonly version: string;
  readonly methods: readonly TdMethod[];
  readonly types: readonly TdType[];
}

/** Written by the build. The path is right from `dist` and, in tests, from `src`. */
const FILE = new URL('../../dist/td-schema.json', import.meta.url);

interface StoredSchema {
  readonly version: string;
  readonly methods: readonly Omit<TdMethod, 'class' | 'reserved'>[];
  readonly types: readonly TdType[];
}

/**
 * Reads the schema that the build has written, more than a megabyte of it, and adds what we decided about each method.
 * @throws Error when the file is missing: the backend was compiled without its build script
 */
export async function readTdSchema(): Promise<TdSchema> {
  const { version, methods, types } = JSON.parse(await readFile(FILE, 'utf8')) as StoredSchema;
  return {
    version,
    methods: methods.map(({ name, ...rest }) => ({
      name,
      class: classOf(name),
      reserved: isReservedMethod(name),
      ...rest,
    })),
    types,
  };
}
