import { Body, Controller, Delete, Get, Param, Patch, Post, Query } from '@nestjs/common';
import {
  Access,
  ApiOperation,
  ApiQuery,
  ApiTags,
  currentCaller,
  DeletedDto,
  existingId,
  Page,
  Requires,
  Returns,
  UpdatedDto,
} from '../../common/http/index.js';
import {
  AddPoolBotDto,
  AddPoolChatDto,
  CreatePoolDto,
  PoolDto,
  PoolStatusDto,
  UpdatePoolBotDto,
  UpdatePoolDto,
} from './pool.dto.js';
import { toPoolDto, toStatusDto } from './pool.mapping.js';
import { PoolsService, type PoolWithBots } from './pools.service.js';

/** As the caller may see it: which worker runs it is the master's to know. */
function toDto({ pool, bots }: PoolWithBots): PoolDto {
  const { worker, ...dto } = toPoolDto(pool, bots);
  return currentCaller().kind === 'token' || worker === undefined ? dto : { ...dto, worker };
}

/** Pools of bots: what they are made of. */
@ApiTags('pools')
@Controller('v1/pools')
@Requires(Access.Master)
export class PoolsController {
  constructor(private readonly pools: PoolsService) {}

  @Post()
  @Returns(PoolDto)
  @ApiOperation({
    operationId: 'createPool',
    summary: 'Make a pool of bots that store objects in a chat; 422 when none of them may',
  })
  async create(@Body() dto: CreatePoolDto): Promise<PoolDto> {
    return toDto(await this.pools.create(dto));
  }

  @Get()
  @Requires(Access.AnyToken, 'any')
  @Returns(PoolDto, { isArray: true })
  @ApiOperation({ operationId: 'listPools', summary: 'All pools that the token may use, oldest first' })
  async list(): Promise<Page<PoolDto>> {
    const caller = currentCaller();
    const isTheirs = ({ pool }: PoolWithBots): boolean =>
      caller.kind !== 'token' || caller.scope.pools?.has(pool.id) === true;
    return new Page((await this.pools.list()).filter(isTheirs).map(toDto));
  }

  @Get(':pool')
  @Requires(Access.CoveredPool, 'read')
  @Returns(PoolDto)
  @ApiOperation({ operationId: 'getPool', summary: 'A pool, by its id or its name' })
  async find(@Param('pool') pool: string): Promise<PoolDto> {
    return toDto(await this.pools.find(pool));
  }

  @Patch(':pool')
  @Returns(PoolDto)
  @ApiOperation({ operationId: 'updatePool', summary: 'Change a pool, or pause it' })
  async update(@Param('pool') pool: string, @Body() dto: UpdatePoolDto): Promise<PoolDto> {
    return toDto(await this.pools.update(pool, dto));
  }

  @Delete(':pool')
  @Returns(DeletedDto)
  @ApiQuery({
    name: 'mode',
    required: false,
    schema: { type: 'string', enum: ['detach'] },
    description: 'forgets the objects; their messages stay in the chat',
  })
  @ApiOperation({ operationId: 'deletePool', summary: 'Remove a pool; 409 while it keeps objects' })
  async remove(@Param('pool') pool: string, @Query('mode') mode: unknown): Promise<DeletedDto> {
    await this.pools.remove(pool, mode === 'detach');
    return { status: 'deleted' };
  }

  @Get(':pool/status')
  @Requires(Access.CoveredPool, 'read')
  @Returns(PoolStatusDto)
  @ApiOperation({ operationId: 'getPoolStatus', summary: 'What the pool and each of its bots do at the moment' })
  async status(@Param('pool') pool: string): Promise<PoolStatusDto> {
    return toStatusDto(await this.pools.status(pool));
  }

  @Post(':pool/verify')
  @Returns(PoolDto)
  @ApiOperation({
    operationId: 'verifyPool',
    summary: 'Ask Telegram what each bot may do; those put aside that are well again come back',
  })
  async verify(@Param('pool') pool: string): Promise<PoolDto> {
    return toDto(await this.pools.verify(pool));
  }

  @Post(':pool/chats')
  @Returns(PoolDto)
  @ApiOperation({ operationId: 'addPoolChat', summary: 'Store new messages in another chat from now on' })
  async addChat(@Param('pool') pool: string, @Body() dto: AddPoolChatDto): Promise<PoolDto> {
    return toDto(await this.pools.addChat(pool, dto));
  }

  @Post(':pool/bots')
  @Returns(PoolDto)
  @ApiOperation({ operationId: 'addPoolBot', summary: 'Add a bot; one that may not store is put aside at once' })
  async addBot(@Param('pool') pool: string, @Body() dto: AddPoolBotDto): Promise<PoolDto> {
    return toDto(await this.pools.addBot(pool, dto.session_id.toLowerCase()));
  }

  @Patch(':pool/bots/:id')
  @Returns(PoolDto)
  @ApiOperation({ operationId: 'updatePoolBot', summary: 'Pause a bot of a pool, or let it work again' })
  async changeBot(
    @Param('pool') pool: string,
    @Param('id') id: string,
    @Body() dto: UpdatePoolBotDto,
  ): Promise<PoolDto> {
    return toDto(await this.pools.changeBot(pool, existingId('session', id), dto.state));
  }

  @Delete(':pool/bots/:id')
  @Returns(DeletedDto)
  @ApiQuery({
    name: 'drain',
    required: false,
    schema: { type: 'boolean', default: true },
    description: 'false: what it is sending is taken back, and goes to another bot',
  })
  @ApiOperation({ operationId: 'removePoolBot', summary: 'Take a bot out; what it is sending ends first' })
  async removeBot(
    @Param('pool') pool: string,
    @Param('id') id: string,
    @Query('drain') drain: unknown,
  ): Promise<DeletedDto> {
    await this.pools.removeBot(pool, existingId('session', id), drain !== 'false');
    return { status: 'deleted' };
  }

  @Delete(':pool/bots/:id/cooldown')
  @Returns(UpdatedDto)
  @ApiOperation({ operationId: 'liftPoolBotCooldown', summary: 'End what a bot waits before Telegram says so' })
  async liftCooldown(@Param('pool') pool: string, @Param('id') id: string): Promise<UpdatedDto> {
    await this.pools.liftCooldown(pool, existingId('session', id));
    return { status: 'updated' };
  }
}
