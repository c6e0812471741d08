import { screen, waitFor } from '@testing-library/react';
import { ok, refused, renderWithApi, type Answers } from '@/test/render-with-api';
import { aLogin, aRule, aSession, aToken } from '@/test/samples';
import { someMethods } from '@/test/td-samples';
import { LimitsPage } from './limits-page';

const ada = aLogin({ id: 'ada', label: 'ada', status: 'authorized' });
const bob = aLogin({ id: 'bob', label: 'bob', status: 'authorized' });
const { kind: _, ...bare } = aRule();
const ofAda = { ...bare, id: 'of-ada', label: 'careful ada', session_id: 'ada' };
const open = (more: Answers = {}) =>
  renderWithApi(<LimitsPage />, {
    'GET /v1/limits': () => ok([aRule(), ofAda]),
    'GET /v1/sessions': () => ok([ada, bob, aSession()]),
    'GET /v1/tokens': () => ok([aToken]),
    'GET /v1/td/methods': () => ok(someMethods),
    ...more,
  });
const bodyOf = (sent: readonly { route: string; text: string }[], route: string): unknown =>
  JSON.parse(sent.find((request) => request.route === route)?.text ?? '{}');

it('lists whom each rule binds, how much is used, and in whose place it stands', async () => {
  open();
  const rows = await screen.findAllByRole('listitem');
  expect(rows[0]).toHaveTextContent('Every user account: Sending, 200 per day (Europe/Berlin)');
  await waitFor(() => expect(rows[0]).toHaveTextContent('binds 1 session'));
  expect(rows[0]).toHaveTextContent('50 of 200 used');
  expect(rows[1]).toHaveTextContent('The session ada');
  expect(rows[1]).toHaveTextContent('in the place of “Sending, 200 per day”');
});

it('explains an empty list', async () => {
  open({ 'GET /v1/limits': () => ok([]) });
  expect(await screen.findByRole('heading', { name: 'No rules yet' })).toBeVisible();
});

it('shows whom a new rule would bind, and what it would replace', async () => {
  const { user } = open();
  await user.click(await screen.findByText('Make a rule'));
  const preview = await screen.findByLabelText('What the rule does');
  await waitFor(() => expect(preview).toHaveTextContent('There is such a rule already'));
  expect(preview).toHaveTextContent('Binds 1 session: bob');
  expect(preview).toHaveTextContent('Not ada, which have a rule of their own');
  expect(preview).toHaveTextContent('Gives way to “careful ada” (The session ada)');
  await user.click(screen.getByLabelText(/^One session/));
  await user.selectOptions(screen.getByLabelText('Session'), 'bob');
  expect(preview).toHaveTextContent('Stands in the place of “Sending, 200 per day” (Every user account)');
});

it('makes a rule for one session', async () => {
  const { user, sent } = open({ 'POST /v1/limits': () => ok({ ...bare, id: 'new', session_id: 'bob' }) });
  await user.click(await screen.findByText('Make a rule'));
  await user.click(await screen.findByLabelText(/^One session/));
  await user.selectOptions(screen.getByLabelText('Session'), 'bob');
  await user.clear(screen.getByLabelText('At most'));
  await user.click(screen.getByLabelText('At most'));
  await user.paste('20');
  await user.clear(screen.getByLabelText('Time zone'));
  await user.click(screen.getByLabelText('Time zone'));
  await user.paste('Europe/Berlin');
  await user.click(screen.getByText('Make the rule'));
  await waitFor(() => expect(screen.queryByText('Make the rule')).not.toBeInTheDocument());
  expect(bodyOf(sent, 'POST /v1/limits')).toEqual({
    level: 'session',
    session_id: 'bob',
    methods: ['@send'],
    max: 20,
    per: 'day',
    timezone: 'Europe/Berlin',
  });
});

it('names what is missing before anything is sent', async () => {
  const { user, sent } = open();
  await user.click(await screen.findByText('Make a rule'));
  await user.click(await screen.findByLabelText(/^The calls of one token/));
  await user.click(screen.getByLabelText(/^Sending/));
  await user.clear(screen.getByLabelText('At most'));
  await user.click(screen.getByText('Make the rule'));
  expect(await screen.findByText('Choose a token.')).toBeVisible();
  expect(screen.getByText('Choose what it counts.')).toBeVisible();
  expect(screen.getByText(/^A whole number from 1/)).toBeVisible();
  expect(sent.some(({ route }) => route === 'POST /v1/limits')).toBe(false);
});

it('changes what a rule says, not whom it binds', async () => {
  const { user, sent } = open({ 'PATCH /v1/limits/of-ada': () => ok(ofAda) });
  await user.click(await screen.findByRole('button', { name: 'Actions for careful ada' }));
  await user.click(await screen.findByRole('menuitem', { name: 'Edit' }));
  expect(await screen.findByText(/Whom it binds cannot be changed/)).toBeVisible();
  await user.selectOptions(screen.getByLabelText('Per'), 'hour');
  expect(screen.queryByLabelText('Time zone')).not.toBeInTheDocument();
  await user.click(screen.getByText('Save'));
  await waitFor(() => expect(sent.some(({ route }) => route.startsWith('PATCH'))).toBe(true));
  expect(bodyOf(sent, 'PATCH /v1/limits/of-ada')).toEqual({
    methods: ['@send'],
    max: 200,
    per: 'hour',
    label: 'careful ada',
  });
});

it('switches a rule off, and deletes it after a question', async () => {
  const { user, sent } = open({
    'PATCH /v1/limits/of-ada': () => ok(ofAda),
    'DELETE /v1/limits/of-ada': () => ok({ status: 'deleted' }),
  });
  await user.click(await screen.findByRole('button', { name: 'Switch off careful ada' }));
  await waitFor(() => expect(bodyOf(sent, 'PATCH /v1/limits/of-ada')).toEqual({ enabled: false }));
  await user.click(screen.getByRole('button', { name: 'Actions for careful ada' }));
  await user.click(await screen.findByRole('menuitem', { name: 'Delete' }));
  await user.click(await screen.findByText('Delete rule'));
  await waitFor(() => expect(sent.some(({ route }) => route === 'DELETE /v1/limits/of-ada')).toBe(true));
});

it('offers a retry when the list cannot be loaded', async () => {
  open({ 'GET /v1/limits': () => refused(503, { message: 'no' }) });
  expect(await screen.findByRole('alert')).toHaveTextContent('The rules could not be loaded');
});
