import { SetMetadata, applyDecorators } from '@nestjs/common';
import { ApiExtraModels, ApiResponse } from './openapi.js';

/** A class of answers. */
export type AnswerClass = abstract new () => unknown;

/** What {@link Returns} notes for the interceptor. */
export interface ReturnsOptions {
  /** The result is a list of the class. */
  readonly isArray?: boolean;
  readonly description?: string;
}

/** Metadata key under which the answer's class stands on a handler. */
export const ANSWER_CLASS = 'tgcontrol:answer-class';

const schemaOf = (type: AnswerClass): { $ref: string } => ({ $ref: `#/components/schemas/${type.name}` });

/**
 * Documents a handler's result, inside the envelope, and lets only the documented fields of its objects leave.
 * `Returns.raw` is for td_api JSON, which passes as it is.
 */
export function Returns(type: AnswerClass, options: ReturnsOptions = {}): MethodDecorator {
  const result = options.isArray ? { type: 'array', items: schemaOf(type) } : schemaOf(type);
  return applyDecorators(
    SetMetadata(ANSWER_CLASS, type),
    ApiExtraModels(type),
    ApiResponse({
      status: 200,
      description: options.description ?? 'done',
      content: {
        'application/json': {
          schema: {
            type: 'object',
            required: ['ok', 'result'],
            properties: {
              ok: { type: 'boolean', enum: [true] },
              result,
              ...(options.isArray && {
                next_cursor: { type: 'string', description: 'present when more follow and a limit was given' },
              }),
            },
          },
        },
      },
    }),
  );
}

/**
 * Documents a result that is td_api JSON: TDLib's object, untouched.
 * @param beside schemas of what may stand beside `result`
 */
export function ReturnsTdObject(
  description = "TDLib's object, untouched",
  beside: Record<string, object> = {},
): MethodDecorator {
  return ApiResponse({
    status: 200,
    description,
    content: {
      'application/json': {
        schema: {
          type: 'object',
          required: ['ok', 'result'],
          properties: {
            ok: { type: 'boolean', enum: [true] },
            result: {
              type: 'object',
              required: ['@type'],
              properties: { '@type': { type: 'string' } },
              additionalProperties: true,
            },
            ...beside,
          },
        },
      },
    },
  });
}
