import { Controller, Get, Query, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Access, ApiOperation, ApiTags, NoEnvelope, Requires, Returns } from '../../common/http/index.js';
import { TdCatalogueQueryDto, TdMethodDto, TdTypeDto } from './td-api.dto.js';
import { type CatalogueAnswer, TdCatalogue } from './td-catalogue.js';

/** Answers that are made already; `If-None-Match` saves sending them again. */
@ApiTags('td_api')
@Controller('v1/td')
@Requires(Access.AnyToken, 'any')
@NoEnvelope()
export class TdApiController {
  constructor(private readonly catalogue: TdCatalogue) {}

  @Get('methods')
  @Returns(TdMethodDto, { isArray: true })
  @ApiOperation({ operationId: 'listTdMethods', summary: 'The methods of td_api, with their classes' })
  async methods(
    @Query() query: TdCatalogueQueryDto,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    await send(await this.catalogue.methods(query), request, reply);
  }

  @Get('types')
  @Returns(TdTypeDto, { isArray: true })
  @ApiOperation({ operationId: 'listTdTypes', summary: 'The types of td_api' })
  async types(
    @Query() query: TdCatalogueQueryDto,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    await send(await this.catalogue.types(query), request, reply);
  }
}

async function send({ body, etag }: CatalogueAnswer, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  reply.headers({ etag, 'cache-control': 'private, no-cache' });
  if (isKnown(request.headers['if-none-match'], etag)) {
    await reply.code(304).send();
    return;
  }
  await reply.type('application/json; charset=utf-8').send(body);
}

/** Whether the client has it: If-None-Match compares weakly (RFC 9110, 13.1.2). */
function isKnown(header: string | undefined, etag: string): boolean {
  const known = (header ?? '').split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  return known.includes(etag) || known.includes('*');
}
