import 'reflect-metadata';
import { Type } from 'class-transformer';
import { IsIn, IsInt, IsObject, IsOptional, IsString, MaxLength, ValidateNested } from 'class-validator';
import { ValidationFailedError } from '../errors/index.js';
import { MayBeAbsent, validationPipe } from './validation.js';

class Base {
  @IsString() @MaxLength(9) name!: string;
}

class Dto extends Base {
  @IsOptional() @IsIn(['yes', '']) sure?: string;
  @MayBeAbsent() @IsInt() size?: number;
  @MayBeAbsent() @IsObject() @ValidateNested() @Type(() => Base) inner?: Base;
}

const read = (body: unknown): Promise<unknown> =>
  validationPipe().transform(body, { type: 'body', metatype: Dto }) as Promise<unknown>;

async function issuesOf(body: unknown): Promise<readonly string[]> {
  const error: unknown = await read(body).catch((thrown: unknown) => thrown);
  if (!(error instanceof ValidationFailedError)) throw new Error('was not refused');
  return error.issues.map(({ path }) => path);
}

describe('validationPipe', () => {
  it('makes a DTO of its known fields, inherited ones too, and drops all others', async () => {
    const given = JSON.parse('{"name":"n","size":1,"other":2,"__proto__":{"x":1},"constructor":3}') as unknown;
    const dto = await read(given);
    expect(dto).toBeInstanceOf(Dto);
    expect({ ...(dto as Dto) }).toEqual({ name: 'n', size: 1 });
  });

  it('takes no longer for very many unknown fields', async () => {
    const given: Record<string, unknown> = { name: 'n' };
    for (let index = 0; index < 100_000; index++) given[`key${index}`] = index;
    const start = performance.now();
    await read(given);
    // It was a minute while the time grew with the square of their number.
    expect(performance.now() - start).toBeLessThan(1000);
  });

  it('refuses a NUL character and names it beside every other wrong field', async () => {
    expect(await issuesOf({ name: 'a\0b', size: 'x' })).toEqual(['name', 'size']);
    expect(await issuesOf({ name: '\0' })).toEqual(['name']);
  });

  it.each([
    [{}, 'invalid request: name is required'],
    [{ name: 5 }, 'invalid request: name must be a string'],
    [{ name: 'n', sure: 'no' }, 'invalid request: sure must be one of the following values: yes'],
    [{ name: 'n', inner: null }, 'invalid request: inner must be an object'],
    [{ name: 'n', size: 'x' }, 'invalid request: size must be an integer number'],
  ])('says in one sentence, with the name once, what is wrong with %j', async (body, words) => {
    await expect(read(body)).rejects.toHaveProperty('message', words);
  });

  it('refuses null for a field that may only be absent', async () => {
    expect(await issuesOf({ name: 'n', size: null })).toEqual(['size']);
  });
});
