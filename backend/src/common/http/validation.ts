import { ValidationPipe, type ValidationError } from '@nestjs/common';
import { ValidateIf } from 'class-validator';
import { ValidationFailedError, type ValidationIssue } from '../errors/index.js';

function flatten(errors: readonly ValidationError[], parent: string): ValidationIssue[] {
  return errors.flatMap((error) => {
    const isIndex = /^\d+$/.test(error.property);
    const path = isIndex
      ? `${parent}[${error.property}]`
      : parent === ''
        ? error.property
        : `${parent}.${error.property}`;
    const own = Object.values(error.constraints ?? {}).map((message) => ({ path, message }));
    // One finding for a field is enough, and the first written rule is checked last by class-validator.
    return [...own.slice(-1), ...flatten(error.children ?? [], path)];
  });
}

/** class-validator's findings as one {@link ValidationFailedError} that names every wrong field. */
export function toValidationFailed(errors: readonly ValidationError[]): ValidationFailedError {
  const issues = flatten(errors, '');
  return new ValidationFailedError(issues.length > 0 ? issues : [{ path: '', message: 'must be a JSON object' }]);
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
    return (await super.transform(given, metadata)) as unknown;
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

/** The field may be absent; unlike with `@IsOptional`, null is a value and is checked. */
export const MayBeAbsent = (): PropertyDecorator => ValidateIf((_, value: unknown) => value !== undefined);
