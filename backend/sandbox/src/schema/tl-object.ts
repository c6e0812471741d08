/**
 * One TL value in memory.
 *
 * `_` is the constructor's or method's name as in the schema of `@mtcute/tl` (`message`, `messages.sendMessage`; those of
 * the MTProto schema start with `mt_`). Fields keep their schema names:
 *
 * | TL type                  | here                                               |
 * |--------------------------|----------------------------------------------------|
 * | `int`, `int53`, `double` | number (`int53`: ids of users, chats and channels) |
 * | `long`                   | bigint, signed                                     |
 * | `string`                 | string                                             |
 * | `bytes`, `int128/256`    | Buffer                                             |
 * | `Bool`                   | boolean                                            |
 * | `true` behind a flag     | `true`, or absent                                  |
 * | other field behind a flag| absent when unset                                  |
 * | `Vector<…>`              | array                                              |
 *
 * `flags` words are never stored: they are computed from the fields that are present.
 */
export interface TlObject {
  readonly _: string;
  [field: string]: unknown;
}

/** True for anything that carries a constructor name. */
export function isTlObject(value: unknown): value is TlObject {
  return typeof value === 'object' && value !== null && '_' in value && typeof value._ === 'string';
}

/** A field had another type than the schema promises, or was missing. */
export class TlFieldError extends Error {
  constructor(object: TlObject, field: string, wanted: string) {
    super(`${object._}.${field} is not ${wanted}`);
    this.name = 'TlFieldError';
  }
}

/** @throws TlFieldError */
export function numberOf(object: TlObject, field: string): number {
  const value = object[field];
  if (typeof value !== 'number') throw new TlFieldError(object, field, 'a number');
  return value;
}

/** @throws TlFieldError */
export function bigintOf(object: TlObject, field: string): bigint {
  const value = object[field];
  if (typeof value !== 'bigint') throw new TlFieldError(object, field, 'a bigint');
  return value;
}

/** @throws TlFieldError */
export function stringOf(object: TlObject, field: string): string {
  const value = object[field];
  if (typeof value !== 'string') throw new TlFieldError(object, field, 'a string');
  return value;
}

/** @throws TlFieldError */
export function bytesOf(object: TlObject, field: string): Buffer {
  const value = object[field];
  if (!Buffer.isBuffer(value)) throw new TlFieldError(object, field, 'bytes');
  return value;
}

/** @throws TlFieldError */
export function objectOf(object: TlObject, field: string): TlObject {
  const value = object[field];
  if (!isTlObject(value)) throw new TlFieldError(object, field, 'an object');
  return value;
}

/** Elements are not checked. @throws TlFieldError */
export function arrayOf(object: TlObject, field: string): readonly unknown[] {
  const value = object[field];
  if (!Array.isArray(value)) throw new TlFieldError(object, field, 'a vector');
  return value;
}

/** A vector of boxed objects. @throws TlFieldError */
export function objectsOf(object: TlObject, field: string): readonly TlObject[] {
  const values = arrayOf(object, field);
  if (!values.every(isTlObject)) throw new TlFieldError(object, field, 'a vector of objects');
  return values;
}

/** True when a `true` flag or a `Bool` field is set. */
export function flagOf(object: TlObject, field: string): boolean {
  return object[field] === true;
}

/** The field, or undefined when the flag is unset. @throws TlFieldError when it is set to something else. */
export function optionalNumberOf(object: TlObject, field: string): number | undefined {
  return object[field] === undefined ? undefined : numberOf(object, field);
}

/** The field, or undefined when the flag is unset. @throws TlFieldError when it is set to something else. */
export function optionalStringOf(object: TlObject, field: string): string | undefined {
  return object[field] === undefined ? undefined : stringOf(object, field);
}

/** The field, or undefined when the flag is unset. @throws TlFieldError when it is set to something else. */
export function optionalObjectOf(object: TlObject, field: string): TlObject | undefined {
  return object[field] === undefined ? undefined : objectOf(object, field);
}
