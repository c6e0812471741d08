import { Body, Controller, Delete, Get, Param, Patch, Post, Query } from '@nestjs/common';
import { ValidationFailedError } from '../../common/errors/index.js';
import {
  Access,
  ApiOperation,
  ApiTags,
  DeletedDto,
  existingId,
  Page,
  PageQueryDto,
  Requires,
  Returns,
} from '../../common/http/index.js';
import { CreateLimitDto, LimitDto, UpdateLimitDto } from './limit.dto.js';
import { toLimitDto } from './limit.mapping.js';
import type { LimitTarget } from './limit-rule.js';
import { LimitsService } from './limits.service.js';

/** @throws ValidationFailedError unless exactly one target is named, and one that the level has */
function toTarget({ level, kind, session_id, token_id }: CreateLimitDto): LimitTarget {
  const given = { kind, session_id, token_id };
  const allowed: readonly string[] = level === 'token' ? ['token_id'] : ['kind', 'session_id'];
  const named = Object.entries(given).filter(([, value]) => value !== undefined);
  const issues = named
    .filter(([path]) => !allowed.includes(path))
    .map(([path]) => ({ path, message: `${path} is no target of the level ${level}` }));
  if (issues.length === 0 && named.length !== 1) {
    issues.push(
      ...allowed.map((path) => ({ path, message: `the level ${level} needs exactly one of ${allowed.join(', ')}` })),
    );
  }
  if (issues.length > 0) throw new ValidationFailedError(issues);
  return {
    ...(kind !== undefined && { kind }),
    ...(session_id !== undefined && { sessionId: existingId('session', session_id) }),
    ...(token_id !== undefined && { tokenId: existingId('token', token_id) }),
  };
}

/** Rules of what may be done how often. */
@ApiTags('limits')
@Controller('v1/limits')
@Requires(Access.Master)
export class LimitsController {
  constructor(private readonly limits: LimitsService) {}

  @Post()
  @Returns(LimitDto)
  @ApiOperation({ operationId: 'createLimit', summary: 'Bind sessions, or the calls of a token, to so much in a time' })
  async create(@Body() dto: CreateLimitDto): Promise<LimitDto> {
    const { methods, max, per, timezone, label, enabled = true } = dto;
    return toLimitDto(await this.limits.create({ ...toTarget(dto), methods, max, per, timezone, label, enabled }));
  }

  @Get()
  @Returns(LimitDto, { isArray: true })
  @ApiOperation({
    operationId: 'listLimits',
    summary: 'All rules, oldest first; each with the use of the session that has used most of it',
  })
  async list(@Query() query: PageQueryDto): Promise<Page<LimitDto>> {
    return (await this.limits.list(query.toRequest())).map(toLimitDto);
  }

  @Get(':id')
  @Returns(LimitDto)
  @ApiOperation({ operationId: 'getLimit', summary: 'A rule' })
  async get(@Param('id') id: string): Promise<LimitDto> {
    return toLimitDto(await this.limits.get(existingId('limit', id)));
  }

  @Patch(':id')
  @Returns(LimitDto)
  @ApiOperation({
    operationId: 'updateLimit',
    summary: 'Change a rule, but not whom it binds; workers go by it within 2 s',
  })
  async update(@Param('id') id: string, @Body() dto: UpdateLimitDto): Promise<LimitDto> {
    const { methods, max, per, timezone, label, enabled } = dto;
    return toLimitDto(
      await this.limits.change(existingId('limit', id), { methods, max, per, timezone, label, enabled }),
    );
  }

  @Delete(':id')
  @Returns(DeletedDto)
  @ApiOperation({ operationId: 'deleteLimit', summary: 'Remove a rule with what it has counted' })
  async remove(@Param('id') id: string): Promise<DeletedDto> {
    await this.limits.remove(existingId('limit', id));
    return { status: 'deleted' };
  }
}
