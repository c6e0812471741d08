import { SEND_STATUSES, type SendError, type SendStatus } from './send.entity.js';
import type { SendState } from './tracked-send.js';

type Fields = readonly [
  id: string,
  sessionId: string,
  epoch: number,
  chatId: number,
  temporaryId: number,
  told: boolean,
  fingerprint: number,
  keyId: string | null,
  createdAt: number,
  status: SendStatus,
  messageId: number | null,
  error: SendError | null,
  decidedAt: number | null,
];

/** A send as one line of the journal, with its line feed. */
export function writeSend(state: SendState): string {
  const fields: Fields = [
    state.id,
    state.sessionId,
    state.epoch,
    state.chatId,
    state.temporaryId,
    state.told,
    state.fingerprint,
    state.keyId ?? null,
    state.createdAt.getTime(),
    state.status,
    state.messageId ?? null,
    state.error ?? null,
    state.decidedAt?.getTime() ?? null,
  ];
  return `${JSON.stringify(fields)}\n`;
}

/** Reads a line of the journal; undefined for one that was damaged. */
export function parseSend(line: string): SendState | undefined {
  const fields = fieldsOf(line);
  if (fields === undefined) {
    return undefined;
  }
  const [
    id,
    sessionId,
    epoch,
    chatId,
    temporaryId,
    told,
    fingerprint,
    keyId,
    createdAt,
    status,
    messageId,
    error,
    decidedAt,
  ] = fields;
  return {
    id,
    sessionId,
    epoch,
    chatId,
    temporaryId,
    told,
    fingerprint,
    keyId: keyId ?? undefined,
    createdAt: new Date(createdAt),
    status,
    messageId: messageId ?? undefined,
    error: error ?? undefined,
    decidedAt: decidedAt === null ? undefined : new Date(decidedAt),
  };
}

function fieldsOf(line: string): Fields | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return undefined;
  }
  const isSend = Array.isArray(value) && value.length === 13 && SEND_STATUSES.includes(value[9] as SendStatus);
  return isSend ? (value as Fields) : undefined;
}
