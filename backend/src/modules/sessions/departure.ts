import type { FastifyReply } from 'fastify';
import { Departure } from '../../telegram/index.js';

/** The caller leaves when the connection closes before the answer was sent. */
export function departureOf({ raw }: FastifyReply): Departure {
  const departure = new Departure();
  raw.once('close', () => {
    if (!raw.writableFinished) {
      departure.leave();
    }
  });
  return departure;
}
