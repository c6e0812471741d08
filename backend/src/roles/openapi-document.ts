import type { INestApplicationContext } from '@nestjs/common';
import { PATH_METADATA } from '@nestjs/common/constants.js';
import { ModulesContainer, NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { OpenAPIObject } from '@nestjs/swagger';
import { applyOpenApiNotes } from '../common/http/index.js';
import { AppLogger } from '../common/log/app-logger.js';
import { AppConfig } from '../config/index.js';
import { AppModule } from './app.module.js';

interface Operation {
  readonly parameters?: { readonly in: string; readonly name: string }[];
  readonly responses: Record<string, unknown>;
}

type Schemas = NonNullable<NonNullable<OpenAPIObject['components']>['schemas']>;

const ERROR_ENVELOPE: Schemas[string] = {
  type: 'object',
  required: ['ok', 'error'],
  properties: {
    ok: { type: 'boolean', enum: [false] },
    error: {
      type: 'object',
      required: ['message', 'source', 'code'],
      properties: {
        message: { type: 'string' },
        source: { type: 'string', enum: ['gateway', 'tdlib'] },
        code: { oneOf: [{ type: 'string' }, { type: 'integer' }], description: "TDLib's number, or a word of ours" },
        retry_after: { type: 'integer', description: 'seconds' },
        details: { type: 'object', additionalProperties: true },
        session_id: { type: 'string', format: 'uuid' },
      },
    },
  },
};

/**
 * OpenAPI has no patterns in paths: `:kind(bot|user)` is documented as `{kind}`, whose values its schema lists, and whatever may follow,
 * which is the key of an object, as `{key}`.
 * @returns what gives the routes their patterns back, for whoever serves them in this process
 */
function dropPatterns(app: INestApplicationContext): () => void {
  const former = new Map<object, string>();
  for (const { controllers } of app.get(ModulesContainer).values()) {
    for (const { metatype } of controllers.values()) {
      const prototype = (metatype as { prototype: object } | null)?.prototype ?? {};
      for (const name of Object.getOwnPropertyNames(prototype)) {
        const handler: unknown = Object.getOwnPropertyDescriptor(prototype, name)?.value;
        if (typeof handler !== 'function') continue;
        const path: unknown = Reflect.getMetadata(PATH_METADATA, handler);
        if (typeof path !== 'string') continue;
        former.set(handler, path);
        Reflect.defineMetadata(PATH_METADATA, path.replace(/(:\w+)\([^)]*\)/g, '$1').replace(/\*$/, ':key'), handler);
      }
    }
  }
  return () => {
    for (const [handler, path] of former) Reflect.defineMetadata(PATH_METADATA, path, handler);
  };
}

/** The OpenAPI 3.1 document of the public API, made from the controllers and DTO classes of ROLE=all. */
export async function openApiDocument(): Promise<OpenAPIObject> {
  const swagger = await import('@nestjs/swagger');
  const config = AppConfig.fromEnv({
    ROLE: 'all',
    API_TOKEN: 'not-used-here',
    CLUSTER_TOKEN: 'not-used-here',
    MASTER_KEY: Buffer.alloc(32, 1).toString('base64'),
    DATABASE_URL: 'postgresql://127.0.0.1/none',
  });
  const app = await NestFactory.create(AppModule.forRole(config, AppLogger.create('silent')), new FastifyAdapter(), {
    // Nothing is instantiated, so nothing connects.
    preview: true,
    logger: false,
  });
  const restorePatterns = dropPatterns(app);
  applyOpenApiNotes(swagger);
  const document = swagger.SwaggerModule.createDocument(
    app,
    new swagger.DocumentBuilder()
      .setOpenAPIVersion('3.1.0')
      .setTitle('tgcontrol')
      .setDescription('Telegram accounts, users and bots, behind one HTTP API on TDLib.')
      .setVersion('1')
      .addBearerAuth({ type: 'http', scheme: 'bearer' }, 'bearer')
      .addSecurityRequirements('bearer')
      .build(),
  );
  restorePatterns();
  document.components = {
    ...document.components,
    schemas: { ...document.components?.schemas, ErrorEnvelope: ERROR_ENVELOPE },
  };
  for (const path of Object.values(document.paths)) {
    for (const operation of Object.values(path as Record<string, Operation>)) {
      // The order of decorators differs between compilers, and means nothing.
      operation.parameters?.sort((a, b) => `${a.in} ${a.name}`.localeCompare(`${b.in} ${b.name}`));
      operation.responses['default'] = {
        description: 'refused or failed; `error.code` says why',
        content: { 'application/json': { schema: { $ref: '#/components/schemas/ErrorEnvelope' } } },
      };
    }
  }
  return document;
}
