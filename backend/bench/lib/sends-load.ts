import autocannon from 'autocannon';
import { cpuMs } from './processes.js';

/** What one round showed. */
export interface Confirmed {
  readonly sendsPerSecond: number;
  /** Milliseconds until a send is confirmed. */
  readonly p50: number;
  readonly p99: number;
  /** Processor time of the serving processes for each send, in microseconds. */
  readonly cpuPerSend: number;
}

/** Sends one bot's messages to one chat, and answers when Telegram has decided. */
export interface Sender {
  /** With the path of the bot. */
  readonly url: string;
  readonly token?: string;
  readonly chatId: number;
}

/** Both targets say so of a message that was sent. */
const SENT = '"status":"sent"';

/**
 * Each connection sends for one bot, one message after another.
 * @throws Error when an answer was no confirmation
 */
export async function confirmedSends(
  senders: readonly Sender[],
  pids: readonly number[],
  connections: number,
  seconds: number,
): Promise<Confirmed> {
  let unconfirmed = 0;
  let next = 0;
  const requests = senders.map(({ url, token, chatId }) => ({
    method: 'POST',
    path: new URL(url).pathname + new URL(url).search,
    headers: { 'content-type': 'application/json', ...(token !== undefined && { authorization: `Bearer ${token}` }) },
    body: JSON.stringify({
      method: 'sendMessage',
      params: {
        chat_id: chatId,
        input_message_content: {
          '@type': 'inputMessageText',
          text: { '@type': 'formattedText', text: 'a message of some length, as people and programs write them' },
        },
      },
    }),
    onResponse: (_status: number, body: string) => {
      if (!body.includes(SENT)) {
        unconfirmed += 1;
      }
    },
  }));
  const before = pids.reduce((sum, pid) => sum + cpuMs(pid), 0);
  const result = await autocannon({
    url: new URL(senders[0]?.url ?? '').origin,
    connections,
    duration: seconds,
    setupClient: (client) => {
      const request = requests[next % requests.length];
      next += 1;
      client.setRequests(request === undefined ? [] : [request]);
    },
  });
  const { total } = result.requests;
  if (result.non2xx > 0 || result.errors > 0 || unconfirmed > 0) {
    throw new Error(`${result.non2xx} refused, ${result.errors} failed and ${unconfirmed} unconfirmed sends`);
  }
  const cpu = pids.reduce((sum, pid) => sum + cpuMs(pid), 0) - before;
  return {
    sendsPerSecond: total / result.duration,
    p50: result.latency.p50,
    p99: result.latency.p99,
    cpuPerSend: (cpu * 1_000) / total,
  };
}
