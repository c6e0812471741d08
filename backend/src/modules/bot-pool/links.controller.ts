import { Body, Controller, Delete, Get, Head, Param, Post, Query, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import {
  Access,
  ApiHeader,
  ApiOperation,
  ApiResponse,
  ApiTags,
  currentCaller,
  DeletedDto,
  encodeCursor,
  isUuid,
  NoEnvelope,
  Page,
  PageQueryDto,
  Requires,
  Returns,
} from '../../common/http/index.js';
import { contentDisposition, sendFile } from '../files/index.js';
import { plainNameOf } from '../uploads/index.js';
import { LinkNotFoundError } from './bot-pool.errors.js';
import { BucketsService } from './buckets.service.js';
import { CreatedLinkDto, CreateLinkDto, LinkDto } from './link.dto.js';
import { type Link, LinksService } from './links.service.js';
import { answerOf, sendObject, validKey } from './object-requests.js';
import { ObjectsService } from './objects.service.js';
import type { Bucket, ObjectRow } from './stored-object.js';

const DEFAULT_LIMIT = 100;
/** Of what S3's clients have said of an object, what its bytes cannot be understood without. */
const KEPT = ['content-encoding', 'content-language'];

/** Links to objects of a pool. */
@ApiTags('pools')
@Controller('v1/pools/:pool/links')
@Requires(Access.CoveredPool, 'read')
export class LinksController {
  constructor(
    private readonly links: LinksService,
    private readonly buckets: BucketsService,
  ) {}

  @Post()
  @Returns(CreatedLinkDto)
  @ApiOperation({
    operationId: 'createLink',
    summary: 'An address that gives an object to whoever has it; it ends with the rights of the token that makes it',
  })
  async create(@Param('pool') name: string, @Body() dto: CreateLinkDto): Promise<CreatedLinkDto> {
    const pool = await this.buckets.ofPool(name);
    const { link, ticket } = await this.links.create(pool, currentCaller(), {
      key: validKey(dto.key),
      filename: dto.filename,
      expiresInSeconds: dto.expires_in,
    });
    return { ...toDto(link), url: `/d/${ticket}` };
  }

  @Get()
  @Returns(LinkDto, { isArray: true })
  @ApiOperation({ operationId: 'listLinks', summary: "The caller's links, for the master all; the newest first" })
  async list(@Param('pool') name: string, @Query() query: PageQueryDto): Promise<Page<LinkDto>> {
    const { limit = DEFAULT_LIMIT, after } = query.toRequest();
    const pool = await this.buckets.ofPool(name);
    const page = { limit: limit + 1, ...(after !== undefined && { after }) };
    const links = await this.links.list(pool, currentCaller(), page);
    const last = links.length > limit ? links[limit - 1] : undefined;
    return new Page(links.slice(0, limit).map(toDto), last && encodeCursor(last));
  }

  @Delete(':id')
  @Returns(DeletedDto)
  @ApiOperation({ operationId: 'revokeLink', summary: 'End a link now; downloads that have begun go on' })
  async revoke(@Param('pool') name: string, @Param('id') id: string): Promise<DeletedDto> {
    const pool = await this.buckets.ofPool(name);
    if (!isUuid(id)) throw new LinkNotFoundError();
    await this.links.revoke(pool, currentCaller(), id);
    return { status: 'deleted' };
  }
}

/** What links open, for everybody who has one: the bytes, never a list and never a redirect. */
@ApiTags('pools')
@Controller('d')
@Requires(Access.Public)
@NoEnvelope()
export class LinkedObjectsController {
  constructor(
    private readonly links: LinksService,
    private readonly buckets: BucketsService,
    private readonly objects: ObjectsService,
  ) {}

  // Before the other: Fastify makes HEAD of GET by itself, and would read whole objects for it.
  @Head(':ticket')
  @ApiOperation({ operationId: 'headLinkedObject', summary: 'What a download would answer, without its bytes' })
  @ApiResponse({ status: 200, description: 'the headers of the download' })
  async head(
    @Param('ticket') ticket: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const link = await this.links.open(ticket);
    const object = await this.objectOf(link, await this.buckets.ofPool(link.poolId));
    const { status, headers } = answerOf(request, reply, object);
    await sendFile(reply, { status, headers: { ...headers, ...safeHeaders(link) }, body: undefined, fileId: 0 });
  }

  @Get(':ticket')
  @ApiHeader({ name: 'Range', required: false, description: 'one range of bytes' })
  @ApiOperation({ operationId: 'getLinkedObject', summary: 'The bytes of the object that a link leads to' })
  @ApiResponse({
    status: 200,
    description: 'the bytes of the object',
    content: { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } },
  })
  async get(
    @Param('ticket') ticket: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const link = await this.links.open(ticket);
    const pool = await this.buckets.ofPool(link.poolId);
    await sendObject(request, reply, {
      find: () => this.objectOf(link, pool),
      read: (object, from, to) => this.objects.read(pool, object, from, to),
      headers: safeHeaders(link),
    });
  }

  /** @throws ObjectNotFoundError */
  private async objectOf({ key }: Link, pool: Bucket): Promise<ObjectRow> {
    const object = await this.objects.find(pool, key);
    // What its owner has noted beside the bytes was not given away with them.
    const headers = Object.fromEntries(Object.entries(object.headers).filter(([name]) => KEPT.includes(name)));
    return { ...object, headers, metadata: {} };
  }
}

/** Nothing that a stranger has stored may run as a page of ours, whatever its type. */
function safeHeaders({ key, filename }: Link): Record<string, string> {
  return {
    'cache-control': 'private, no-store',
    'content-disposition': contentDisposition(plainNameOf(filename ?? key.slice(key.lastIndexOf('/') + 1))),
    'content-security-policy': "sandbox; default-src 'none'; frame-ancestors 'none'",
    'x-robots-tag': 'noindex',
  };
}

function toDto({ id, key, filename, tokenId, createdAt, expiresAt }: Link): LinkDto {
  return {
    id,
    key,
    ...(filename !== undefined && { filename }),
    ...(tokenId !== undefined && { token_id: tokenId }),
    created_at: createdAt.toISOString(),
    expires_at: expiresAt.toISOString(),
  };
}
