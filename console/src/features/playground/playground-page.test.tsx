import { screen, waitFor, within } from '@testing-library/react';
import type { UserEvent } from '@testing-library/user-event';
import { ok, refused, renderWithApi, type Answers } from '@/test/render-with-api';
import { aLogin, aSession } from '@/test/samples';
import { someMethods, someTypes } from '@/test/td-samples';
import { leaveDraft } from '@/lib/call-draft';
import type { SessionSummary } from '@/lib/types';
import { PlaygroundPage } from './playground-page';

const bot = aSession();
const callPath = `POST /v1/bot/${bot.id}/call`;
const pendingMessage = {
  '@type': 'message',
  id: 1048577,
  chat_id: 42,
  sending_state: { '@type': 'messageSendingStatePending' },
};

// What is left in the module by one test is not of the next.
beforeEach(() => leaveDraft({ sessionId: '', method: '', paramsText: '' }));

function open(
  more: Answers = {},
  { address = `/playground/?session=${bot.id}`, sessions = [bot] as SessionSummary[] } = {},
) {
  return renderWithApi(
    <PlaygroundPage />,
    {
      'GET /v1/sessions': () => ok(sessions),
      'GET /v1/td/methods': () => ok(someMethods),
      'GET /v1/td/types': () => ok(someTypes),
      ...more,
    },
    address,
  );
}
const method = () => screen.findByRole('combobox', { name: 'Method' });
async function pick(user: UserEvent, letters: string): Promise<void> {
  const box = await method();
  await user.clear(box);
  await user.type(box, `${letters}{Enter}`);
}
const params = (): HTMLTextAreaElement => screen.getByLabelText(/^Params/);
const bodies = (sent: readonly { route: string; text: string }[]): string[] =>
  sent.filter(({ route }) => route.endsWith('/call')).map(({ text }) => text);

it('goes from a few letters to the answer with two keys beside typing', async () => {
  const { user, sent } = open({ [callPath]: () => ok({ '@type': 'optionValueString', value: '1.8' }) });
  expect(await method()).toHaveFocus();
  await user.keyboard('geto');
  expect(await screen.findByRole('option', { name: /getOption/, selected: true })).toBeVisible();
  await user.keyboard('{Enter}');
  expect(params()).toHaveFocus();
  await user.keyboard('version');
  await user.keyboard('{Control>}{Enter}{/Control}');
  const answer = await screen.findByRole('region', { name: 'Answer' });
  expect(answer).toHaveTextContent('200 answered');
  expect(answer).toHaveTextContent(/\d+ ms/);
  expect(answer).toHaveTextContent('request-1');
  expect(JSON.parse(bodies(sent)[0] ?? '')).toEqual({ method: 'getOption', params: { name: 'version' } });
  expect(new URLSearchParams(window.location.search).get('method')).toBe('getOption');
});

it('shows what td_api says about the method, its class, its parameters and their types', async () => {
  const { user } = open();
  await pick(user, 'sendmes');
  const docs = await screen.findByRole('region', { name: 'sendMessage' });
  expect(docs).toHaveTextContent('What sendMessage does');
  expect(docs).toHaveTextContent('Send');
  const list = within(docs).getByRole('list', { name: 'Parameters' });
  expect(list).toHaveTextContent('Target chat');
  await user.click(await within(list).findByRole('button', { name: /^InputMessageContent/ }));
  expect(list).toHaveTextContent('A text message');
});

it('adds a parameter from its docs', async () => {
  const { user } = open();
  await pick(user, 'gchis');
  await user.click(screen.getByRole('button', { name: 'Add from_message_id' }));
  expect(params().value).toContain('"from_message_id": 0');
  expect(params()).toHaveFocus();
});

it('completes names and nested types while they are typed', async () => {
  const { user } = open();
  await pick(user, 'sendmes');
  await screen.findByRole('button', { name: /^InputMessageContent/ });
  await user.clear(params());
  await user.type(params(), '{{"inp');
  await user.keyboard('{Enter}');
  await user.keyboard('text');
  await user.keyboard('{Enter}');
  expect(params().value).toBe(
    '{"input_message_content": {\n  "@type": "inputMessageText",\n  "text": {\n    "@type": "formattedText",\n    "text": ""\n  }\n}',
  );
});

it('sends nothing while the params are wrong, says where, and takes an older answer away', async () => {
  const { user, sent } = open({ [callPath]: () => ok({ '@type': 'user' }) });
  await pick(user, 'getMe');
  await user.keyboard('{Control>}{Enter}{/Control}');
  await screen.findByRole('region', { name: 'Answer' });
  await pick(user, 'getchat');
  await user.clear(params());
  await user.type(params(), '{{"chat_id": @name}');
  await user.keyboard('{Control>}{Enter}{/Control}');
  expect(params()).toBeInvalid();
  expect(params()).toHaveAccessibleDescription(/Put “@name” in quotes/);
  expect(params()).toHaveFocus();
  expect(params().selectionStart).toBe(12);
  expect(screen.queryByRole('region', { name: 'Answer' })).not.toBeInTheDocument();
  expect(bodies(sent)).toHaveLength(1);
});

it('warns of a parameter that the method does not have, and sends it all the same', async () => {
  const { user, sent } = open({ [callPath]: () => ok({ '@type': 'chat' }) });
  await pick(user, 'getchat');
  await user.clear(params());
  await user.type(params(), '{{"chatid": 1}');
  expect(params()).toHaveAccessibleDescription(/has no parameter "chatid"/);
  await user.keyboard('{Control>}{Enter}{/Control}');
  await screen.findByRole('region', { name: 'Answer' });
  expect(bodies(sent)).toHaveLength(1);
});

it('tells who refused a call, why, and what that means', async () => {
  const { user } = open({
    [callPath]: () => refused(400, { source: 'tdlib', code: 400, message: 'Chat not found' }),
  });
  await pick(user, 'getchat');
  await user.keyboard('{Control>}{Enter}{/Control}');
  const answer = await screen.findByRole('region', { name: 'Answer' });
  expect(answer).toHaveTextContent('400 refused');
  expect(answer).toHaveTextContent('Telegram refused this call.');
  expect(answer).toHaveTextContent('does not know that chat');
  expect(answer).toHaveTextContent('request-2');
});

it('says where the gateway found a mistake', async () => {
  const { user } = open({
    [callPath]: () =>
      refused(400, {
        code: 'validation_failed',
        message: 'invalid request',
        details: { issues: [{ path: 'params.chat_id', message: 'no such name' }] },
      }),
  });
  await pick(user, 'getchat');
  await user.keyboard('{Control>}{Enter}{/Control}');
  const answer = await screen.findByRole('region', { name: 'Answer' });
  expect(answer).toHaveTextContent('tgcontrol refused this call before Telegram was asked.');
  expect(answer).toHaveTextContent('params.chat_id no such name');
});

it('follows a message from its temporary to its final id', async () => {
  let asked = 0;
  const { user, sent } = open({
    [callPath]: () => ok(pendingMessage),
    [`GET /v1/bot/${bot.id}/sends`]: () => {
      asked += 1;
      return ok(asked < 2 ? { status: 'pending' } : { status: 'sent', chat_id: 42, message_id: 2097152 });
    },
  });
  await pick(user, 'sendmes');
  await user.clear(params());
  await user.keyboard('{Control>}{Enter}{/Control}');
  const list = await screen.findByRole('list', { name: 'Messages sent' });
  expect(list).toHaveTextContent('Pending');
  expect(list).toHaveTextContent('1048577');
  await waitFor(() => expect(list).toHaveTextContent('final id 2097152'));
  expect(list).toHaveTextContent('Sent');
  const { search } = sent.find(({ route }) => route.endsWith('/sends'))?.url ?? new URL('http://x');
  expect(Object.fromEntries(new URLSearchParams(search))).toMatchObject({
    chat_id: '42',
    message_id: '1048577',
    wait: '20',
  });
});

it('says why a message failed', async () => {
  const { user } = open({
    [callPath]: () => ok(pendingMessage),
    [`GET /v1/bot/${bot.id}/sends`]: () =>
      ok({ status: 'failed', chat_id: 42, error: { source: 'tdlib', code: 400, message: 'USER_IS_BLOCKED' } }),
  });
  await pick(user, 'sendmes');
  await user.clear(params());
  await user.keyboard('{Control>}{Enter}{/Control}');
  const list = await screen.findByRole('list', { name: 'Messages sent' });
  await waitFor(() => expect(list).toHaveTextContent('That person has blocked this account. 400 USER_IS_BLOCKED'));
});

it('waits and sends once when told to, also in what is copied', async () => {
  const { user, sent } = open({
    [callPath]: () =>
      Response.json(
        { ok: true, result: pendingMessage, sends: [{ temporary_id: 1048577, status: 'sent', message_id: 7 }] },
        { headers: { 'Idempotent-Replayed': 'true' } },
      ),
  });
  await pick(user, 'getchat');
  expect(screen.queryByLabelText(/Wait for Telegram/)).not.toBeInTheDocument();
  await pick(user, 'sendmes');
  await user.clear(params());
  await user.click(screen.getByLabelText(/Wait for Telegram/));
  await user.click(screen.getByLabelText(/Send once/));
  const key = screen.getByLabelText('Idempotency-Key');
  await user.clear(key);
  await user.type(key, 'order-1');
  await user.click(screen.getByRole('button', { name: 'Send call' }));
  const answer = await screen.findByRole('region', { name: 'Answer' });
  expect(answer).toHaveTextContent('the first answer again');
  expect(answer).toHaveTextContent('final id 7');
  const call = sent.find(({ route }) => route === callPath);
  expect(call?.url.search).toBe('?wait=30');
  expect(call?.headers.get('idempotency-key')).toBe('order-1');
  const copied = jest.spyOn(navigator.clipboard, 'writeText');
  await user.click(screen.getByRole('button', { name: 'Copy as curl' }));
  const [curl] = copied.mock.lastCall ?? [];
  expect(curl).toContain('?wait=30');
  expect(curl).toContain('Idempotency-Key: order-1');
  expect(curl).toContain('$TOKEN');
  await user.click(screen.getByRole('button', { name: 'Copy as fetch' }));
  expect(copied).toHaveBeenLastCalledWith(expect.stringContaining('Authorization: `Bearer ${TOKEN}`'));
});

it('refuses a wait that the server would refuse', async () => {
  const { user, sent } = open();
  await pick(user, 'sendmes');
  await user.clear(params());
  await user.click(screen.getByLabelText(/Wait for Telegram/));
  await user.clear(screen.getByLabelText('Seconds at most'));
  await user.type(screen.getByLabelText('Seconds at most'), '61');
  await user.click(screen.getByRole('button', { name: 'Send call' }));
  expect(screen.getByLabelText('Seconds at most')).toHaveAccessibleDescription(/1 to 60/);
  expect(bodies(sent)).toEqual([]);
});

it('keeps calls with their params, but no answers and no secrets, and takes one up again', async () => {
  const { user } = open({ [callPath]: () => ok({ '@type': 'chat', title: 'from the answer' }) });
  await pick(user, 'getchat');
  await user.keyboard('77');
  await user.keyboard('{Control>}{Enter}{/Control}');
  await screen.findByRole('region', { name: 'Answer' });
  await pick(user, 'setpass');
  await user.keyboard('hunter2');
  await user.keyboard('{Control>}{Enter}{/Control}');
  await waitFor(() => expect(window.localStorage.getItem('tgcontrol.calls')).toContain('setPassword'));
  const stored = JSON.stringify(Object.entries(window.localStorage));
  expect(stored).not.toContain('hunter2');
  expect(stored).not.toContain('from the answer');
  const history = screen.getByRole('region', { name: 'History' });
  expect(history).toHaveTextContent('params not kept');
  await user.click(within(history).getByRole('button', { name: /getChat/ }));
  expect(await method()).toHaveValue('getChat');
  expect(params().value).toContain('77');
});

it('keeps what was typed for a method while another one is looked at', async () => {
  const { user } = open();
  await pick(user, 'getchat');
  await user.keyboard('4242');
  await pick(user, 'getme');
  expect(params()).toHaveValue('');
  await pick(user, 'getchat');
  expect(params().value).toContain('4242');
});

it('keeps reserved methods from being sent, and says why', async () => {
  const { user, sent } = open();
  await pick(user, 'close');
  await user.keyboard('{Control>}{Enter}{/Control}');
  expect(await method()).toHaveAccessibleDescription(/nobody may call it/);
  expect(bodies(sent)).toEqual([]);
});

it('lets a method that the server does not list be called, with a guess of what was meant', async () => {
  const { user, sent } = open({ [callPath]: () => ok({ '@type': 'ok' }) });
  await pick(user, 'getMee');
  expect(await method()).toHaveAccessibleDescription(/Did you mean getMe/);
  await user.keyboard('{Control>}{Enter}{/Control}');
  await waitFor(() => expect(bodies(sent)).toHaveLength(1));
});

it('cannot call with a session that is not ready, and leads to it', async () => {
  const login = aLogin();
  open({}, { address: `/playground/?session=${login.id}`, sessions: [login] });
  expect(await screen.findByRole('button', { name: 'Send call' })).toBeDisabled();
  expect(screen.getByRole('link', { name: 'Open the session' })).toHaveAttribute(
    'href',
    `/sessions/view/?id=${login.id}`,
  );
});

it('leads to a bot when there is no session', async () => {
  const { user } = open({}, { address: '/playground/', sessions: [] });
  await user.click(await screen.findByRole('button', { name: 'Add a bot' }));
  expect(new URLSearchParams(window.location.search).get('new')).toBe('bot');
});

it('offers a retry when the methods could not be loaded', async () => {
  open({ 'GET /v1/td/methods': () => refused(403, { message: 'no' }) });
  expect(await screen.findByRole('alert')).toHaveTextContent('The methods could not be loaded');
});
