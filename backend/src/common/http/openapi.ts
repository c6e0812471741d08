import type * as swagger from '@nestjs/swagger';
import { addRouteConfig } from './direct.js';

type Swagger = typeof swagger;
type AnyDecorator = (...where: never[]) => unknown;

/**
 * `@nestjs/swagger` costs 16 MB of memory and only the writer of the OpenAPI document needs it. Its decorators are
 * therefore kept as notes while the classes load, and applied by {@link applyOpenApiNotes} when the document is made.
 */
const notes: ((library: Swagger) => void)[] = [];

function note(make: (library: Swagger) => AnyDecorator): ClassDecorator & MethodDecorator & PropertyDecorator {
  return (...where: unknown[]): void => {
    notes.push((library) => {
      const decorate = make(library) as (...args: unknown[]) => unknown;
      if (where.length === 3) {
        // A method's descriptor must be the present one: another decorator may have replaced it meanwhile.
        const [target, key] = where as [object, string | symbol];
        decorate(target, key, Object.getOwnPropertyDescriptor(target, key));
      } else {
        decorate(...where);
      }
    });
  };
}

/** Applies every decorator noted so far. Call it once, before the document is built. */
export function applyOpenApiNotes(library: Swagger): void {
  for (const apply of notes.splice(0)) apply(library);
}

const FIELDS = Symbol('fields of an answer');

/** The fields that {@link ApiProperty} documents on a class or on those it extends; nothing else of an answer leaves. */
export function fieldsOf(type: abstract new (...args: never[]) => unknown): readonly string[] | undefined {
  return Reflect.getMetadata(FIELDS, type) as readonly string[] | undefined;
}

function remember(target: object, key: string | symbol): void {
  const type = target.constructor;
  const inherited = (Reflect.getMetadata(FIELDS, type) as readonly string[] | undefined) ?? [];
  Reflect.defineMetadata(FIELDS, [...inherited, String(key)], type);
}

/** A field of a request or an answer, as in `@nestjs/swagger`. */
export function ApiProperty(options?: swagger.ApiPropertyOptions): PropertyDecorator {
  return (target, key) => {
    remember(target, key);
    note((library) => library.ApiProperty(options))(target, key);
  };
}

/** A field that may be absent, as in `@nestjs/swagger`. */
export function ApiPropertyOptional(options?: swagger.ApiPropertyOptions): PropertyDecorator {
  return (target, key) => {
    remember(target, key);
    note((library) => library.ApiPropertyOptional(options))(target, key);
  };
}

/** The group of a controller's routes in the document. */
export const ApiTags = (...tags: string[]): ClassDecorator => note((library) => library.ApiTags(...tags));
/** What a route does, in a sentence. */
export const ApiOperation =
  (options: swagger.ApiOperationOptions): MethodDecorator =>
  (target, key, descriptor): void => {
    addRouteConfig(descriptor.value as object, { operation: options.operationId });
    note((library) => library.ApiOperation(options))(target, key, descriptor);
  };
/** A parameter of the path. */
export const ApiParam = (options: swagger.ApiParamOptions): MethodDecorator =>
  note((library) => library.ApiParam(options));
/** A header of the request. */
export const ApiHeader = (options: swagger.ApiHeaderOptions): MethodDecorator =>
  note((library) => library.ApiHeader(options));
/** A parameter of the query that no DTO class has. */
export const ApiQuery = (options: swagger.ApiQueryOptions): MethodDecorator =>
  note((library) => library.ApiQuery(options));
/** The body of a request when it is no DTO class. */
export const ApiBody = (options: swagger.ApiBodyOptions): MethodDecorator =>
  note((library) => library.ApiBody(options));
/** An answer that is no envelope. */
export const ApiResponse = (options: swagger.ApiResponseOptions): MethodDecorator =>
  note((library) => library.ApiResponse(options));
/** Classes that only a hand-written schema refers to. */
export const ApiExtraModels = (...models: (abstract new () => unknown)[]): ClassDecorator & MethodDecorator =>
  note((library) => library.ApiExtraModels(...(models as Parameters<Swagger['ApiExtraModels']>)));
/** Leaves a whole controller out of the document. */
export const ApiHiddenController = (): ClassDecorator => note((library) => library.ApiExcludeController());
