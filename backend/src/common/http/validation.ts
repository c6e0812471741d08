import { ValidationPipe, type ValidationError } from '@nestjs/common';
import { ValidateBy, ValidateIf, getMetadataStorage } from 'class-validator';
import { ValidationFailedError, type ValidationIssue } from '../errors/index.js';

/** The empty string among the values that may be given has nothing to show for itself. */
const inWords = (message: string): string => message.replace(/(?:, *)+$/, '');

/** Between the index of an element and what is wrong with it, in messages of {@link EachIs}. */
const IN_LIST = /^\[(\d+)\]: /;

function placed(path: string, message: string): ValidationIssue {
  const index = IN_LIST.exec(message);
  return index === null ? { path, message } : { path: `${path}[${index[1]}]`, message: message.slice(index[0].length) };
}

function flatten(errors: readonly ValidationError[], parent: string): ValidationIssue[] {
  return errors.flatMap((error) => {
    const isIndex = /^\d+$/.test(error.property);
    const path = isIndex
      ? `${parent}[${error.property}]`
      : parent === ''
        ? error.property
        : `${parent}.${error.property}`;
    const { nestedValidation, ...others } = error.constraints ?? {};
    const rules = Object.values(others);
    // What is no object at all breaks other rules too, which say it better than class-validator's own words of this one.
    if (rules.length === 0 && nestedValidation !== undefined) rules.push(nestedValidation);
    const own = rules.map((message) => placed(path, inWords(message)));
    // One finding for a field is enough, and the first written rule is checked last by class-validator.
    return [...own.slice(-1), ...flatten(error.children ?? [], path)];
  });
}

/** class-validator's findings as one {@link ValidationFailedError} that names every wrong field. */
export function toValidationFailed(errors: readonly ValidationError[]): ValidationFailedError {
  const issues = flatten(errors, '');
  return new ValidationFailedError(issues.length > 0 ? issues : [{ path: '', message: 'must be a JSON object' }]);
}

type DtoClass = abstract new (...args: never[]) => unknown;

const knownFields = new WeakMap<DtoClass, readonly string[]>();

/** The fields that have a rule on a DTO class or on those it extends. */
function fieldsWithRules(type: DtoClass): readonly string[] {
  const known = knownFields.get(type);
  if (known) return known;
  const rules = getMetadataStorage().getTargetValidationMetadatas(type, type.name, false, false);
  const fields = [...new Set(rules.map(({ propertyName }) => propertyName))];
  knownFields.set(type, fields);
  return fields;
}

/**
 * Only what the DTO knows: class-transformer's time grows with the square of the number of keys, so that unknown ones
 * must never reach it.
 */
function pick(given: object, fields: readonly string[]): Record<string, unknown> {
  const picked: Record<string, unknown> = {};
  for (const field of fields) {
    if (Object.hasOwn(given, field)) picked[field] = (given as Record<string, unknown>)[field];
  }
  return picked;
}

/** PostgreSQL's text holds every character but this one, nor does it make sense in any other field. */
function nulIssues(picked: Readonly<Record<string, unknown>>): ValidationIssue[] {
  return Object.entries(picked)
    .filter(([, value]) => typeof value === 'string' && value.includes('\0'))
    .map(([path]) => ({ path, message: `${path} must not contain the character U+0000` }));
}

class DtoValidationPipe extends ValidationPipe {
  override async transform(value: unknown, metadata: Parameters<ValidationPipe['transform']>[1]): Promise<unknown> {
    // An absent body is an empty object, so that the missing fields are named; any other value must be an object.
    const isBody = metadata.type === 'body';
    const given = isBody && value === undefined ? {} : value;
    if (isBody && metadata.metatype !== undefined && metadata.metatype !== Object) {
      if (typeof given !== 'object' || given === null || Array.isArray(given)) {
        throw new ValidationFailedError([{ path: '', message: 'the body must be a JSON object' }]);
      }
    }
    const { metatype } = metadata;
    const isDto = metadata.type !== 'param' && metatype !== undefined && this.toValidate(metadata);
    if (!isDto || typeof given !== 'object' || given === null || Array.isArray(given)) {
      return (await super.transform(given, metadata)) as unknown;
    }
    const fields = fieldsWithRules(metatype as DtoClass);
    if (fields.length === 0) return (await super.transform(given, metadata)) as unknown;
    const picked = pick(given, fields);
    const issues = nulIssues(picked);
    if (issues.length === 0) return this.checked(picked, metadata);
    throw new ValidationFailedError([...issues, ...(await this.otherIssues(picked, metadata, issues))]);
  }

  /** Of a field that is not there no rule says what is wrong with it: it is missing. */
  private async checked(picked: object, metadata: Parameters<ValidationPipe['transform']>[1]): Promise<unknown> {
    try {
      return (await super.transform(picked, metadata)) as unknown;
    } catch (error) {
      if (!(error instanceof ValidationFailedError)) throw error;
      const isMissing = (path: string): boolean => /^\w+$/.test(path) && !Object.hasOwn(picked, path);
      throw new ValidationFailedError(
        error.issues.map((issue) =>
          isMissing(issue.path) ? { path: issue.path, message: `${issue.path} is required` } : issue,
        ),
      );
    }
  }

  private async otherIssues(
    picked: object,
    metadata: Parameters<ValidationPipe['transform']>[1],
    known: readonly ValidationIssue[],
  ): Promise<ValidationIssue[]> {
    try {
      await this.checked(picked, metadata);
      return [];
    } catch (error) {
      if (!(error instanceof ValidationFailedError)) throw error;
      return error.issues.filter(({ path }) => !known.some((issue) => issue.path === path));
    }
  }
}

/**
 * The global pipe: bodies and queries become instances of their DTO classes, unknown fields are dropped, every wrong
 * field is named. Path parameters and values declared as interfaces pass as they are.
 */
export function validationPipe(): ValidationPipe {
  return new DtoValidationPipe({
    transform: true,
    whitelist: true,
    stopAtFirstError: false,
    validationError: { target: false, value: false },
    exceptionFactory: toValidationFailed,
  });
}

/**
 * Every element of a list is valid; the first that is not is named by its place, unlike with class-validator's `each`.
 * @param words what is wrong with an element
 */
export const EachIs = (isValid: (value: unknown) => boolean, words: (value: unknown) => string): PropertyDecorator =>
  ValidateBy({
    name: 'eachIs',
    validator: {
      validate: (list) => Array.isArray(list) && list.every(isValid),
      defaultMessage: (args) => {
        const list: unknown = args?.value;
        if (!Array.isArray(list)) return `${args?.property ?? 'this'} must be a list`;
        const index = list.findIndex((value) => !isValid(value));
        return `[${index}]: ${words(list[index])}`;
      },
    },
  });

/** The field may be absent; unlike with `@IsOptional`, null is a value and is checked. */
export const MayBeAbsent = (): PropertyDecorator => ValidateIf((_, value: unknown) => value !== undefined);
