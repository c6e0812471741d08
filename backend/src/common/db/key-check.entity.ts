import { Check, Column, Entity, PrimaryColumn } from 'typeorm';

/** One sealed value, by which a process learns at start whether its MASTER_KEY is the one of this database. */
@Entity({ name: 'key_check' })
@Check('key_check_single_row', `"id" = 1`)
export class KeyCheckEntity {
  @PrimaryColumn({ type: 'smallint', primaryKeyConstraintName: 'key_check_pk' }) id!: number;
  @Column({ type: 'text' }) sealed!: string;
}
