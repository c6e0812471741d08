import type { ApiBody } from '../../common/http/index.js';

/** The schema of a call's body, which is not validated by class: its params are td_api's. */
export const CALL_BODY: Parameters<typeof ApiBody>[0] = {
  schema: {
    type: 'object',
    required: ['method'],
    properties: {
      method: { type: 'string', description: 'A td_api method.', example: 'getMe' },
      params: {
        type: 'object',
        nullable: true,
        additionalProperties: true,
        description: 'Its parameters as td_api JSON.',
      },
    },
  },
};
