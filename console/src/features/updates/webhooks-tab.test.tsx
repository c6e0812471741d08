import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { ok, refused, renderWithApi, type Answers, type SentRequest } from '@/test/render-with-api';
import { aDelivery, aSession, aSubscription } from '@/test/samples';
import type { Subscription } from '@/lib/types';
import { showSecret } from './shown-secret';
import { SubscriptionSecretDialog } from './subscription-secret';
import { WebhooksTab } from './webhooks-tab';

const session = aSession();
const at = `/v1/bot/${session.id}/updates/subscriptions`;
const hook = aSubscription();
const preview = { matched: 7, of: 100, types: { updateNewMessage: 7, updateOption: 93 } };

function open(subscriptions: readonly Subscription[], more: Answers = {}, query = '') {
  return renderWithApi(
    <>
      <WebhooksTab session={session} />
      <SubscriptionSecretDialog />
    </>,
    {
      [`GET ${at}`]: () => ok(subscriptions),
      [`POST ${at}/preview`]: () => ok(preview),
      'GET /v1/td/types': () => ok([{ name: 'updateNewMessage', description: '', fields: [] }]),
      [`GET ${at}/${hook.id}/deliveries`]: () => ok([aDelivery()]),
      ...more,
    },
    `/sessions/view/?id=${session.id}&tab=webhooks${query}`,
  );
}
const openOne = (subscription: Subscription, more?: Answers) => open([subscription], more, `&sub=${subscription.id}`);
const bodies = (sent: readonly SentRequest[], route: string): unknown[] =>
  sent.filter((request) => request.route === route).map(({ text }) => JSON.parse(text) as unknown);

afterEach(() => act(() => showSecret(undefined)));

it('says what a webhook is where there is none', async () => {
  open([]);
  expect(await screen.findByRole('heading', { name: 'No webhooks yet' })).toBeVisible();
});

it('shows state, success rate, backlog with its age, and the next retry', async () => {
  open([
    aSubscription({
      state: 'failing',
      success_rate: 0.9871,
      pending: 340,
      failed: 3,
      oldest_pending_at: new Date(Date.now() - 630_000).toISOString(),
      next_retry_at: new Date(Date.now() + 240_000).toISOString(),
      last_error: 'connect ECONNREFUSED',
    }),
  ]);
  const list = await screen.findByRole('list', { name: 'Webhooks and streams' });
  expect(list).toHaveTextContent('Failing');
  expect(list).toHaveTextContent('Succeeded98.7 %');
  expect(list).toHaveTextContent('Waiting340oldest 10m ago');
  expect(list).toHaveTextContent(/Next repeatin [34]m/);
  expect(list).toHaveTextContent('Given up3');
  expect(list).toHaveTextContent('connect ECONNREFUSED');
});

describe('adding a webhook', () => {
  it('goes in steps, tells what the filter would match, and shows the secret once', async () => {
    let subscriptions: readonly Subscription[] = [];
    const { user, sent } = open([], {
      [`GET ${at}`]: () => ok(subscriptions),
      [`POST ${at}`]: () => {
        subscriptions = [hook];
        return ok({ id: hook.id, secret: 'whsec_topsecret' });
      },
    });
    await user.click(await screen.findByRole('button', { name: 'Add a webhook' }));
    await user.click(screen.getByRole('button', { name: 'Next' }));
    expect(screen.getByText('Enter the URL that updates are posted to.')).toBeVisible();
    await user.type(screen.getByLabelText('URL'), 'https://example.com/hook');
    await user.click(screen.getByRole('button', { name: 'Next' }));
    expect(await screen.findByText(/Would match/)).toHaveTextContent('Would match 7 of the last 100 updates');
    await user.click(screen.getByRole('checkbox', { name: 'updateNewCallbackQuery' }));
    await user.type(screen.getByLabelText(/^Only these chats/), '-100 x');
    expect(screen.getByText(/x is no chat id/)).toBeVisible();
    await user.clear(screen.getByLabelText(/^Only these chats/));
    await user.type(screen.getByLabelText(/^Only these chats/), '-100');
    await user.click(screen.getByRole('button', { name: 'Next' }));
    await user.click(screen.getByRole('radio', { name: /By chat/ }));
    await user.click(screen.getByRole('button', { name: 'Add webhook' }));
    const secret = await screen.findByRole('dialog', { name: 'Copy the secret now' });
    expect(within(secret).getByText('whsec_topsecret')).toBeVisible();
    expect(bodies(sent, `POST ${at}`)).toEqual([
      {
        url: 'https://example.com/hook',
        filters: { types: ['updateNewMessage', 'updateNewCallbackQuery'], chats: [-100] },
        order: 'chat',
        max_connections: 40,
      },
    ]);
  });

  it('does not lose the secret by Esc, by a click beside it, or by going back', async () => {
    const { user } = open([]);
    act(() => showSecret({ session, subscriptionId: hook.id, secret: 'whsec_topsecret', isRotated: false }));
    const dialog = await screen.findByRole('dialog', { name: 'Copy the secret now' });
    await user.keyboard('{Escape}');
    fireEvent.pointerDown(document.body);
    fireEvent.click(document.body);
    window.history.back();
    expect(dialog).toBeVisible();
    await user.click(within(dialog).getByRole('button', { name: 'I have stored it' }));
    expect(within(dialog).getByRole('alert')).toHaveTextContent('It was not copied yet');
    await user.click(within(dialog).getByRole('button', { name: 'Copy secret' }));
    await user.click(await within(dialog).findByRole('button', { name: 'Done' }));
    expect(screen.queryByText('whsec_topsecret')).not.toBeInTheDocument();
  });

  it('goes back to the URL when the server refuses it, with its words there', async () => {
    const message = 'the address 10.0.0.1 is not public';
    const { user } = open([], {
      [`POST ${at}`]: () =>
        refused(400, { code: 'validation_failed', details: { issues: [{ path: 'url', message }] } }),
    });
    await user.click(await screen.findByRole('button', { name: 'Add a webhook' }));
    await user.type(screen.getByLabelText('URL'), 'http://10.0.0.1/');
    await user.click(screen.getByRole('button', { name: 'Next' }));
    await user.click(screen.getByRole('button', { name: 'Next' }));
    await user.click(screen.getByRole('button', { name: 'Add webhook' }));
    expect(await screen.findByText(message)).toBeVisible();
    expect(screen.getByLabelText('URL')).toHaveAttribute('aria-invalid', 'true');
  });

  it('sends a test event and tells what the receiver answered', async () => {
    const test = '6f1c2f8e-0000-4000-8000-0000000000ff';
    const { user } = openOne(hook, {
      [`GET ${at}/${hook.id}/deliveries`]: () => ok([]),
      [`POST ${at}/${hook.id}/test`]: () => ok({ id: test }),
      [`GET ${at}/${hook.id}/deliveries/${test}`]: () => ok({ ...aDelivery({ id: test }), log: [], update: {} }),
    });
    await user.click(await screen.findByRole('button', { name: 'Send a test event' }));
    expect(await screen.findByText('200')).toBeVisible();
  });
});

describe('one webhook', () => {
  const failed = aDelivery({
    status: 'failed',
    attempts: 10,
    last_attempt: { attempt: 10, at: '2026-11-30T10:30:00.000Z', duration_ms: 10_000, error: 'timeout' },
  });

  it('shows request, answer and timing of a delivery, and tries it again', async () => {
    const log = [{ attempt: 1, at: '2026-11-30T10:00:00.000Z', duration_ms: 42, status: 500, answer: 'oops' }];
    const { user, sent } = openOne(hook, {
      [`GET ${at}/${hook.id}/deliveries`]: () => ok([failed]),
      [`GET ${at}/${hook.id}/deliveries/${failed.id}`]: () =>
        ok({ ...failed, log, update: { '@type': 'updateNewMessage', message: { id: 7 } } }),
      [`POST ${at}/${hook.id}/deliveries/${failed.id}/retry`]: () => ok({ id: failed.id }),
    });
    const list = await screen.findByRole('list', { name: 'Deliveries' });
    expect(list).toHaveTextContent('Given up');
    expect(list).toHaveTextContent('timeout in 10000 ms');
    await user.click(within(list).getByRole('button', { name: 'updateNewMessage' }));
    const dialog = await screen.findByRole('dialog', { name: 'updateNewMessage' });
    expect(await within(dialog).findByRole('list', { name: 'Attempts' })).toHaveTextContent('500 in 42 ms');
    expect(within(dialog).getByRole('region', { name: 'Answer to attempt 1' })).toHaveTextContent('oops');
    expect(within(dialog).getByRole('region', { name: 'Update' })).toHaveTextContent('"id": 7');
    await user.click(within(dialog).getByRole('button', { name: 'Try it again' }));
    await waitFor(() =>
      expect(sent.map(({ route }) => route)).toContain(`POST ${at}/${hook.id}/deliveries/${failed.id}/retry`),
    );
  });

  it('recovers everything that was given up since some time', async () => {
    const { user, sent } = openOne(hook, { [`POST ${at}/${hook.id}/recover`]: () => ok({ requeued: 340 }) });
    await user.click(await screen.findByRole('button', { name: 'Recover…' }));
    await user.selectOptions(screen.getByLabelText('Given up within'), 'the last 6 hours');
    await user.click(screen.getByRole('button', { name: 'Try them again' }));
    expect(await screen.findByText('340 deliveries are tried again.')).toBeVisible();
    const [body] = bodies(sent, `POST ${at}/${hook.id}/recover`) as [{ since: string }];
    expect(Date.now() - new Date(body.since).getTime()).toBeCloseTo(6 * 3_600_000, -4);
  });

  it('filters the deliveries by their state, in the address', async () => {
    const { user, sent } = openOne(hook);
    await user.click(await screen.findByRole('radio', { name: 'Given up' }));
    await waitFor(() => expect(sent.at(-1)?.url.searchParams.get('status')).toBe('failed'));
    expect(new URLSearchParams(window.location.search).get('status')).toBe('failed');
  });

  it('is switched off and on, and says what that means', async () => {
    const { user, sent } = openOne(aSubscription({ enabled: false, state: 'disabled' }), {
      [`PATCH ${at}/${hook.id}`]: () => ok({ status: 'updated' }),
    });
    expect(await screen.findByText(/What came meanwhile was not kept/)).toBeVisible();
    await user.click(screen.getByRole('button', { name: 'Switch on' }));
    await waitFor(() => expect(bodies(sent, `PATCH ${at}/${hook.id}`)).toEqual([{ enabled: true }]));
  });

  it('says why tgcontrol has switched it off', async () => {
    openOne(aSubscription({ enabled: false, state: 'disabled', disabled_reason: 'the receiver answered 410' }));
    expect(await screen.findByText('the receiver answered 410')).toBeVisible();
  });

  it('changes its filter while it runs', async () => {
    const { user, sent } = openOne(aSubscription({ filters: { types: ['updateNewMessage'] } }), {
      [`PATCH ${at}/${hook.id}`]: () => ok({ status: 'updated' }),
    });
    await user.click(await screen.findByRole('button', { name: 'Edit' }));
    await user.click(screen.getByRole('checkbox', { name: 'updateMessageEdited' }));
    await user.click(screen.getByRole('button', { name: 'Save changes' }));
    await waitFor(() =>
      expect(bodies(sent, `PATCH ${at}/${hook.id}`)).toEqual([
        expect.objectContaining({ filters: { types: ['updateNewMessage', 'updateMessageEdited'] } }),
      ]),
    );
  });

  it('gets a new secret after a question that says how long the old one holds', async () => {
    const { user, sent } = openOne(hook, {
      [`PATCH ${at}/${hook.id}`]: () => ok({ status: 'updated', secret: 'whsec_new' }),
    });
    await user.click(await screen.findByRole('button', { name: /^More for/ }));
    await user.click(await screen.findByRole('menuitem', { name: 'New secret' }));
    expect(screen.getByRole('alertdialog')).toHaveTextContent('For 24 hours');
    await user.click(screen.getByRole('button', { name: 'Make a new secret' }));
    expect(await screen.findByText('whsec_new')).toBeVisible();
    expect(bodies(sent, `PATCH ${at}/${hook.id}`)).toEqual([{ rotate_secret: true }]);
  });

  it('is deleted after a question that counts what waits', async () => {
    const { user, sent } = openOne(aSubscription({ pending: 340 }), {
      [`DELETE ${at}/${hook.id}`]: () => ok({ status: 'deleted' }),
    });
    await user.click(await screen.findByRole('button', { name: /^More for/ }));
    await user.click(await screen.findByRole('menuitem', { name: 'Delete' }));
    expect(screen.getByRole('alertdialog')).toHaveTextContent('340 updates that wait for it are removed');
    await user.click(screen.getByRole('button', { name: 'Delete webhook' }));
    await waitFor(() => expect(sent.map(({ route }) => route)).toContain(`DELETE ${at}/${hook.id}`));
  });
});
