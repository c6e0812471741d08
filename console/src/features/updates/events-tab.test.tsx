import { act, screen, waitFor, within } from '@testing-library/react';
import { ok, refused, renderWithApi, type Answers } from '@/test/render-with-api';
import { aDelivery, aSession, aSubscription } from '@/test/samples';
import type { Subscription } from '@/lib/types';
import { EventsPage } from './events-page';
import { EventsTab } from './events-tab';

/** What the browser has for server-sent events, driven by the test. */
class FakeSource extends EventTarget {
  static readonly CLOSED = 2;
  static all: FakeSource[] = [];
  static get last(): FakeSource {
    const source = FakeSource.all.at(-1);
    if (!source) throw new Error('no stream was opened');
    return source;
  }

  readyState = 0;
  onopen: (() => void) | null = null;
  onmessage: ((message: { data: string }) => void) | null = null;
  onerror: (() => void) | null = null;

  constructor(readonly url: string) {
    super();
    FakeSource.all.push(this);
  }

  open(): void {
    this.readyState = 1;
    act(() => this.onopen?.());
  }

  say(event: unknown): void {
    act(() => this.onmessage?.({ data: JSON.stringify(event) }));
  }

  /** As the browser does: for good, or to connect again by itself. */
  fail(forGood: boolean): void {
    this.readyState = forGood ? FakeSource.CLOSED : 0;
    act(() => this.onerror?.());
  }

  close(): void {
    this.readyState = FakeSource.CLOSED;
  }
}

const session = aSession();
const at = `/v1/bot/${session.id}/updates/subscriptions`;
const stream: Subscription = {
  ...aSubscription({
    id: '6f1c2f8e-0000-4000-8000-0000000000aa',
    kind: 'stream',
    created_at: '2026-11-30T08:00:00.000Z',
  }),
};
delete stream.url;
const event = (n: number, text = `message ${n}`, chat = -100) => ({
  id: `event-${n}`,
  cursor: n.toString(36),
  at: `2026-11-30T10:00:0${n % 10}.000Z`,
  update: {
    '@type': 'updateNewMessage',
    message: { id: n, chat_id: chat, content: { '@type': 'messageText', text: { text } } },
  },
});
const open = (subscriptions: readonly Subscription[], more: Answers = {}) =>
  renderWithApi(
    <EventsTab session={session} />,
    {
      [`GET ${at}`]: () => ok(subscriptions),
      [`GET ${at}/${stream.id}/events`]: () => Response.json({ ok: true, result: [], next_cursor: '9' }),
      ...more,
    },
    `/sessions/view/?id=${session.id}&tab=events`,
  );
const live = async (): Promise<FakeSource> => {
  await waitFor(() => expect(FakeSource.all).not.toEqual([]));
  FakeSource.last.open();
  return FakeSource.last;
};
const rows = (): string[] =>
  screen.queryAllByRole('listitem').map(({ textContent }) => /message \d+/.exec(textContent)?.[0] ?? '');

beforeEach(() => {
  FakeSource.all = [];
  globalThis.EventSource = FakeSource as unknown as typeof EventSource;
});

it('offers to watch a session that nobody asks for the updates of', async () => {
  let subscriptions: readonly Subscription[] = [];
  const { user, sent } = open([], {
    [`GET ${at}`]: () => ok(subscriptions),
    [`POST ${at}`]: () => {
      subscriptions = [stream];
      return ok({ id: stream.id });
    },
  });
  await user.click(await screen.findByRole('button', { name: 'Watch every update' }));
  await live();
  expect(sent.find(({ route }) => route === `POST ${at}`)?.text).toBe('{"kind":"stream"}');
  expect(await screen.findByText('Live')).toBeVisible();
});

it('begins after a cursor, so that a break before the first event leaves no gap', async () => {
  open([stream]);
  const source = await live();
  expect(source.url).toBe(`${at}/${stream.id}/events?after=9`);
});

it('shows each event once, newest first, over a lost connection', async () => {
  open([stream]);
  const source = await live();
  source.say(event(1));
  source.say(event(2));
  source.fail(false);
  expect(await screen.findByText('Reconnecting')).toBeVisible();
  source.open();
  source.say(event(2));
  source.say(event(3));
  await waitFor(() => expect(rows()).toEqual(['message 3', 'message 2', 'message 1']));
  expect(FakeSource.all).toHaveLength(1);
});

it('opens a new stream after the last event where the browser gives up', async () => {
  open([stream]);
  const source = await live();
  source.say(event(11));
  source.fail(true);
  await waitFor(() => expect(FakeSource.all).toHaveLength(2));
  expect(FakeSource.last.url).toBe(`${at}/${stream.id}/events?after=b`);
});

it('says when the subscription is gone', async () => {
  open([stream]);
  const source = await live();
  act(() => void source.dispatchEvent(new MessageEvent('end', { data: '{}' })));
  expect(await screen.findByText('Ended')).toBeVisible();
});

it('pauses without losing what comes, and counts it', async () => {
  const { user } = open([stream]);
  const source = await live();
  source.say(event(1));
  await waitFor(() => expect(rows()).toEqual(['message 1']));
  await user.click(screen.getByRole('button', { name: 'Pause' }));
  source.say(event(2));
  source.say(event(3));
  await user.click(await screen.findByRole('button', { name: 'Go on (2 new)' }));
  expect(rows()).toEqual(['message 3', 'message 2', 'message 1']);
});

it('searches, filters by chat, and copies what is shown', async () => {
  const { user } = open([stream]);
  const source = await live();
  source.say(event(1));
  source.say(event(2, 'message 2 about invoices'));
  source.say(event(3, 'message 3 about invoices', 7));
  await waitFor(() => expect(rows()).toHaveLength(3));
  await user.type(screen.getByLabelText('Search in the events'), 'invoices');
  expect(rows()).toEqual(['message 3', 'message 2']);
  await user.type(screen.getByLabelText('Chat id'), '-100');
  expect(rows()).toEqual(['message 2']);
  const copied = jest.spyOn(navigator.clipboard, 'writeText');
  await user.click(screen.getByRole('button', { name: 'Copy these' }));
  expect(JSON.parse(copied.mock.lastCall?.[0] ?? '')).toEqual([event(2, 'message 2 about invoices').update]);
});

it('tells of each webhook whether it got the event, and why it was not delivered', async () => {
  const seen = event(1);
  const got = aSubscription({ id: 'hook-1', url: 'https://example.com/got', created_at: '2026-11-30T08:00:00.000Z' });
  const later = aSubscription({
    id: 'hook-2',
    url: 'https://example.com/later',
    created_at: '2026-11-30T12:00:00.000Z',
  });
  const narrow = aSubscription({ id: 'hook-3', url: 'https://example.com/narrow', filters: { chats: [5] } });
  const { user } = open([stream, got, later, narrow], {
    [`GET ${at}/hook-1/deliveries`]: () =>
      ok([
        aDelivery({ at: '2026-11-30T10:00:05.000Z', status: 'delivered' }),
        aDelivery({
          at: seen.at,
          status: 'pending',
          attempts: 3,
          due_at: new Date(Date.now() + 240_000).toISOString(),
          last_attempt: { attempt: 3, at: seen.at, duration_ms: 12, status: 503 },
        }),
      ]),
  });
  const source = await live();
  source.say(seen);
  await user.click(await screen.findByRole('button', { name: 'updateNewMessage' }));
  const fates = await screen.findByRole('region', { name: 'Who got it' });
  await waitFor(() => expect(fates).toHaveTextContent(/got.*Waiting.*503 in 12 ms, attempt 3.*It waits. Next try in/));
  expect(fates).toHaveTextContent('Not delivered: it was made after this update came.');
  expect(fates).toHaveTextContent('Not delivered: its filter does not name chat -100.');
  expect(within(fates).getByRole('link', { name: 'https://example.com/got' })).toHaveAttribute(
    'href',
    `/sessions/view/?id=${session.id}&tab=webhooks&sub=hook-1`,
  );
});

it('shows the events of all watched sessions in one list, by polling, and says which are not watched', async () => {
  const other = aSession({ id: '6f1c2f8e-0000-4000-8000-000000000009', label: 'sales-bot' });
  let portion = [event(1)];
  const { user } = renderWithApi(
    <EventsPage />,
    {
      'GET /v1/sessions': () => ok([session, other]),
      'GET /v1/subscriptions': () => ok([{ ...stream, session_id: session.id, session_kind: session.kind }]),
      [`GET ${at}/${stream.id}/events`]: () => {
        const result = portion;
        portion = [];
        return Response.json({ ok: true, result, next_cursor: '1' });
      },
      [`POST /v1/bot/${other.id}/updates/subscriptions`]: () => refused(409, { message: 'too many subscriptions' }),
    },
    '/events/',
  );
  const list = await screen.findByRole('list', { name: 'Live events' });
  expect(list).toHaveTextContent('support-bot');
  expect(list).toHaveTextContent('message 1');
  await user.click(screen.getByRole('button', { name: 'Watch sales-bot' }));
  expect(await screen.findByText(/too many subscriptions/)).toBeVisible();
});
