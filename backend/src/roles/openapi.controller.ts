import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { Controller, Get, Param, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { RouteNotFoundError } from '../common/errors/index.js';
import { Access, ApiHiddenController, NoEnvelope, Requires } from '../common/http/index.js';
import { PAGE_HEADERS, StaticSite } from '../common/http/static-site.js';

/** Written by `npm run openapi`, and proven fresh by a test. */
const DOCUMENT = new URL('../../openapi.json', import.meta.url);

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>tgcontrol API</title>
<link rel="stylesheet" href="/docs/swagger-ui.css">
</head>
<body>
<div id="swagger-ui"></div>
<script src="/docs/swagger-ui-bundle.js"></script>
<script src="/docs/start.js"></script>
</body>
</html>
`;
const START = `window.onload = () => {
  window.ui = SwaggerUIBundle({ url: '/v1/openapi.json', dom_id: '#swagger-ui', deepLinking: true, validatorUrl: null });
};
`;
/** Nothing of this is loaded before somebody asks for it. */
@ApiHiddenController()
@Controller()
@Requires(Access.Public)
@NoEnvelope()
export class OpenApiController {
  private document: Promise<string> | undefined;
  private assets: StaticSite | undefined;

  @Get('v1/openapi.json')
  async json(@Res() reply: FastifyReply): Promise<void> {
    this.document ??= readFile(DOCUMENT, 'utf8');
    await reply
      .type('application/json; charset=utf-8')
      .header('cache-control', 'no-cache')
      .send(await this.document);
  }

  @Get('docs')
  async page(@Res() reply: FastifyReply): Promise<void> {
    await reply.type('text/html; charset=utf-8').headers(PAGE_HEADERS).send(PAGE);
  }

  @Get('docs/:file')
  async file(@Param('file') file: string, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    if (file === 'start.js') {
      await reply.type('text/javascript; charset=utf-8').send(START);
      return;
    }
    // The page's own library, found through the package that brings it.
    this.assets ??= new StaticSite(swaggerUiDir(), { only: ['swagger-ui.css', 'swagger-ui-bundle.js'] });
    if (!this.assets.serve(`/${file}`, request, reply)) throw new RouteNotFoundError('GET', `/docs/${file}`);
  }
}

function swaggerUiDir(): string {
  const fromHere = createRequire(import.meta.url);
  const fromSwagger = createRequire(fromHere.resolve('@nestjs/swagger'));
  return dirname(fromSwagger.resolve('swagger-ui-dist/package.json'));
}
