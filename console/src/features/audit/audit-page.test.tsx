import { screen, waitFor, within } from '@testing-library/react';
import { ok, refused, renderWithApi, type Answers } from '@/test/render-with-api';
import { aSession, aToken } from '@/test/samples';
import type { AuditEvent } from '@/lib/types';
import { actionWords, objectHref } from './audit-object';
import { AuditPage } from './audit-page';

const anEvent = (changes: Partial<AuditEvent> = {}): AuditEvent => ({
  id: '6f1c2f8e-0000-4000-8000-0000000000a1',
  at: '2026-11-30T09:00:00.000Z',
  actor: 'console',
  address: '10.0.0.9',
  request_id: 'request-9',
  action: 'createToken',
  object_type: 'token',
  object_id: aToken.id,
  status: 200,
  details: { body: { name: 'billing' } },
  count: 1,
  ...changes,
});
const open = (more: Answers = {}, address = '/audit/') =>
  renderWithApi(
    <AuditPage />,
    { 'GET /v1/audit': () => ok([anEvent()]), 'GET /v1/tokens': () => ok([aToken]), ...more },
    address,
  );

it('tells who did what, from where, and links to the thing', async () => {
  open();
  const row = within(await screen.findByRole('list', { name: 'Events' })).getByRole('listitem');
  expect(row).toHaveTextContent('Donecreate token');
  expect(row).toHaveTextContent('The console');
  expect(row).toHaveTextContent('from 10.0.0.9');
  expect(within(row).getByRole('link')).toHaveAttribute('href', '/tokens/');
  expect(within(row).getByText('What was asked for')).toBeVisible();
});

it('tells what was refused to which token, why, and how often', async () => {
  const refusal = { actor: 'token', token_name: 'leaked', status: 403, code: 'scope_denied', count: 12 } as const;
  open({
    'GET /v1/audit': () =>
      ok([anEvent({ ...refusal, action: 'callMethod', object_type: 'session', object_id: aSession().id })]),
  });
  const row = within(await screen.findByRole('list', { name: 'Events' })).getByRole('listitem');
  expect(row).toHaveTextContent('403 refused');
  expect(row).toHaveTextContent('scope_denied');
  expect(row).toHaveTextContent('12 times alike');
  expect(row).toHaveTextContent('Token leaked');
  expect(within(row).getByRole('link')).toHaveAttribute('href', `/sessions/view/?id=${aSession().id}`);
});

it('searches on the server by all that is asked for, keeps it in the address, and forgets it again', async () => {
  const { user, sent } = open({ 'GET /v1/audit': ({ url }) => ok(url.searchParams.has('actor') ? [] : [anEvent()]) });
  await screen.findByRole('option', { name: 'Token billing service' });
  await user.selectOptions(screen.getByLabelText('Who'), 'Token billing service');
  await user.click(screen.getByLabelText('What'));
  await user.paste('deleteToken');
  await user.click(screen.getByRole('button', { name: 'Search' }));
  expect(await screen.findByRole('heading', { name: 'Nothing found' })).toBeVisible();
  expect(sent.findLast(({ route }) => route === 'GET /v1/audit')?.url.search).toBe(
    `?actor=${aToken.id}&action=deleteToken&limit=50`,
  );
  expect(window.location.search).toBe(`?actor=${aToken.id}&action=deleteToken`);
  await user.click(screen.getByRole('button', { name: 'Show everything' }));
  await waitFor(() => expect(window.location.search).toBe(''));
  expect(await screen.findByRole('list', { name: 'Events' })).toBeVisible();
});

it('asks by a time in the reader’s zone', async () => {
  const { sent } = open({}, '/audit/?from=2026-11-30T09:00:00.000Z');
  await screen.findByRole('list', { name: 'Events' });
  expect(sent.find(({ route }) => route === 'GET /v1/audit')?.url.searchParams.get('from')).toBe(
    '2026-11-30T09:00:00.000Z',
  );
  const shown = screen.getByLabelText<HTMLInputElement>('From').value;
  expect(new Date(shown).toISOString()).toBe('2026-11-30T09:00:00.000Z');
});

it('shows older events on request', async () => {
  const { user } = open({
    'GET /v1/audit': ({ url }) =>
      url.searchParams.has('cursor')
        ? ok([anEvent({ id: 'old', action: 'createApp' })])
        : Response.json({ ok: true, result: [anEvent()], next_cursor: 'more' }),
  });
  await user.click(await screen.findByRole('button', { name: 'Show older ones' }));
  expect(await screen.findByText('create app')).toBeVisible();
  expect(screen.getByText('create token')).toBeVisible();
});

it('offers a retry when the log cannot be loaded', async () => {
  open({ 'GET /v1/audit': () => refused(503, { message: 'no database' }) });
  expect(await screen.findByRole('alert')).toHaveTextContent('The audit log could not be loaded');
});

it.each([
  [
    'a subscription, in its session',
    { object_type: 'subscription', object_id: 'sub', session_id: 's' },
    '/sessions/view/?id=s&tab=webhooks&sub=sub',
  ],
  [
    'a cooldown, in its session',
    { object_type: 'cooldown', object_id: '@send', session_id: 's' },
    '/sessions/view/?id=s&tab=limits',
  ],
  ['a rule, in the list', { object_type: 'limit', object_id: 'l' }, '/limits/'],
  ['what has no page, nowhere', { object_type: 'console-session' }, undefined],
])('links to %s', (_what, changes, href) => {
  expect(objectHref(anEvent(changes))).toBe(href);
});

it('says an operation in words', () => {
  expect(actionWords('liftCooldown')).toBe('lift cooldown');
});
