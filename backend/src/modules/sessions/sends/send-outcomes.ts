import { Injectable } from '@nestjs/common';
import { SendsRepository } from './sends.repository.js';

/** For other modules: what is still on its way, in whichever worker. */
@Injectable()
export class SendOutcomes {
  constructor(private readonly repository: SendsRepository) {}

  /** Whether one of these sends is undecided. What is not in the database any more, or never was, is not on its way. */
  async isAnyPending(ids: readonly string[]): Promise<boolean> {
    return this.repository.isAnyPending(ids);
  }
}
