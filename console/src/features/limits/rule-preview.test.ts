import { aLogin, aRule, aSession, aToken } from '@/test/samples';
import { previewRule } from './rule-preview';

const ada = aLogin({ id: 'ada' });
const bob = aLogin({ id: 'bob' });
const bot = aSession({ id: 'bot', app_id: 'app-2' });
const sessions = [ada, bob, bot];
const token = { ...aToken, id: 'token', app_ids: [], session_ids: ['ada'] };
const { kind: _, ...bare } = aRule();
const ofKind = aRule({ id: 'of-kind' });
const ofAda = { ...bare, id: 'of-ada', session_id: 'ada' };
const ofToken = { ...bare, id: 'of-token', level: 'token' as const, token_id: 'token' };
const preview = (draft: Parameters<typeof previewRule>[0], others = [ofKind, ofAda, ofToken]) =>
  previewRule(draft, others, sessions, [token]);
const ids = (things: readonly { id: string }[]) => things.map(({ id }) => id);

it('binds every session of a kind, but not those with a rule of their own', () => {
  const { bound, exempt, replaces, yieldsTo } = preview(ofKind);
  expect(ids(bound)).toEqual(['bob']);
  expect(ids(exempt)).toEqual(['ada']);
  expect(replaces).toEqual([]);
  expect(ids(yieldsTo)).toEqual(['of-ada', 'of-token']);
});

it('puts the rule of a session in the place of that of its kind, and a token’s in the place of both', () => {
  expect(ids(preview(ofAda).bound)).toEqual(['ada']);
  expect(ids(preview(ofAda).replaces)).toEqual(['of-kind']);
  expect(ids(preview(ofAda).yieldsTo)).toEqual(['of-token']);
  expect(ids(preview(ofToken).bound)).toEqual(['ada']);
  expect(ids(preview(ofToken).replaces)).toEqual(['of-kind', 'of-ada']);
  expect(preview(ofToken).yieldsTo).toEqual([]);
});

it('takes rules for another place only when methods and time are the same, whatever their order', () => {
  const mixed = { ...ofKind, methods: ['getChat', '@send'] };
  const same = { ...ofAda, methods: ['@send', 'getChat'] };
  expect(ids(preview(same, [mixed]).replaces)).toEqual(['of-kind']);
  expect(preview({ ...same, per: 'hour' }, [mixed]).replaces).toEqual([]);
  expect(preview({ ...same, methods: ['@send'] }, [mixed]).replaces).toEqual([]);
});

it('lets a rule that is off bind and replace nothing', () => {
  expect(preview({ ...ofAda, enabled: false })).toMatchObject({ bound: [], replaces: [] });
  expect(ids(preview(ofKind, [{ ...ofAda, enabled: false }]).bound)).toEqual(['ada', 'bob']);
});

it('finds the rule that says the same for the same target, but not the rule itself', () => {
  const { id: __, ...unsaved } = ofAda;
  expect(preview(unsaved).twin?.id).toBe('of-ada');
  expect(preview(ofAda).twin).toBeUndefined();
});
