import { ApiProperty } from './openapi.js';

/** The answer of a change. */
export class UpdatedDto {
  @ApiProperty({ type: String, enum: ['updated'] }) status!: 'updated';
}

/** The answer of a removal. */
export class DeletedDto {
  @ApiProperty({ type: String, enum: ['deleted'] }) status!: 'deleted';
}
