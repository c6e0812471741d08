import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { copiesOf } from './boxes.js';
import type { Account } from './accounts.js';
import { groupPeer, userPeer } from './peer.js';
import { World } from './world.js';

describe('a world', () => {
  const directory = mkdtempSync(join(tmpdir(), 'sandbox-world-'));
  let world: World;
  let ada: Account;
  let bert: Account;

  beforeEach(async () => {
    world = new World(directory);
    await world.reset();
    ada = world.accounts.createUser('15550000001');
    bert = world.accounts.createUser('15550000002');
  });
  afterAll(() => {
    rmSync(directory, { recursive: true });
  });

  const textsIn = (owner: Account, other: Account): string[] =>
    copiesOf(world.posting.box(owner.id), userPeer(other.id)).map(({ content }) => content.text);

  it('keeps a copy of a private message for each side, under ids of their own', () => {
    world.posting.send(ada, userPeer(ada.id), { text: 'a note' });
    const { copy } = world.posting.send(ada, userPeer(bert.id), { text: 'hello' });
    expect(copy.id).toBe(2);
    expect(copiesOf(world.posting.box(bert.id), userPeer(ada.id))).toMatchObject([{ id: 1, out: false }]);
  });

  it('posts once for one random id', () => {
    const first = world.posting.send(ada, userPeer(bert.id), { text: 'once' }, { randomId: 5n });
    const second = world.posting.send(ada, userPeer(bert.id), { text: 'once' }, { randomId: 5n });
    expect(second.copy).toBe(first.copy);
    expect(textsIn(bert, ada)).toEqual(['once']);
  });

  it('shows an edit and a revoked deletion to both sides', () => {
    const { copy } = world.posting.send(ada, userPeer(bert.id), { text: 'before' });
    world.revising.edit(ada, userPeer(bert.id), copy.id, { text: 'after', replyMarkup: undefined });
    expect(textsIn(bert, ada)).toEqual(['after']);
    world.revising.delete(ada, [copy.id], true);
    expect(textsIn(bert, ada)).toEqual([]);
  });

  it('refuses edits of others, of old messages, and without a change', () => {
    const { copy } = world.posting.send(ada, userPeer(bert.id), { text: 'mine' });
    const edit = (editor: Account, peer: Account, text: string) => () =>
      world.revising.edit(editor, userPeer(peer.id), copy.id, { text, replyMarkup: undefined });
    expect(edit(bert, ada, 'yours')).toThrow('MESSAGE_AUTHOR_REQUIRED');
    expect(edit(ada, bert, 'mine')).toThrow('MESSAGE_NOT_MODIFIED');
    world.clock.advance(49 * 3600);
    expect(edit(ada, bert, 'late')).toThrow('MESSAGE_EDIT_TIME_EXPIRED');
  });

  it('counts unread messages and tells the writer when they are read', () => {
    const [first, second] = ['one', 'two'].map((text) => world.posting.send(ada, userPeer(bert.id), { text }).copy.id);
    expect(world.posting.box(bert.id).dialogs.get(`u${String(ada.id)}`)).toMatchObject({ unread: 2 });
    world.reading.read(bert, userPeer(ada.id), 1);
    expect(world.posting.box(bert.id).dialogs.get(`u${String(ada.id)}`)).toMatchObject({ unread: 1 });
    expect(world.posting.box(ada.id).dialogs.get(`u${String(bert.id)}`)).toMatchObject({ readOutboxId: first });
    world.reading.read(bert, userPeer(ada.id), 2);
    expect(world.posting.box(ada.id).dialogs.get(`u${String(bert.id)}`)).toMatchObject({ readOutboxId: second });
  });

  it('lets nobody write to a group who is not in it', () => {
    const [group] = world.membership.createGroup(ada, 'Trio', [bert]);
    const stranger = world.accounts.createUser('15550000003');
    expect(() => world.posting.send(stranger, groupPeer(group.id), { text: 'x' })).toThrow('CHAT_WRITE_FORBIDDEN');
    world.membership.removeFromGroup(ada, group, bert.id);
    expect(() => world.posting.send(bert, groupPeer(group.id), { text: 'x' })).toThrow('CHAT_WRITE_FORBIDDEN');
  });

  it('goes on where it was closed, with shared messages still shared and random ids still known', async () => {
    const { copy } = world.posting.send(ada, userPeer(bert.id), { text: 'before' }, { randomId: 9n });
    await world.files.create(Buffer.from('bytes'), { kind: 'document' });
    await world.close();
    world = World.open(directory);
    const reopened = world.accounts.get(ada.id);
    world.revising.edit(reopened, userPeer(bert.id), copy.id, { text: 'after', replyMarkup: undefined });
    expect(textsIn(bert, ada)).toEqual(['after']);
    expect(world.posting.send(reopened, userPeer(bert.id), { text: 'x' }, { randomId: 9n }).copy.id).toBe(copy.id);
    const [file] = world.files.state.byId.values();
    expect(file && (await world.files.read(file, 0, 100)).toString()).toBe('bytes');
  });

  it('gives file references that expire all at once, or with time', () => {
    const reference = world.files.reference();
    expect(world.files.referenceProblem(reference)).toBeUndefined();
    world.files.state.referenceLifetime = 60;
    world.clock.advance(61);
    expect(world.files.referenceProblem(reference)).toBe('FILE_REFERENCE_EXPIRED');
    const fresh = world.files.reference();
    world.files.expireReferences();
    expect(world.files.referenceProblem(fresh)).toBe('FILE_REFERENCE_EXPIRED');
    expect(world.files.referenceProblem(Buffer.from('foreign!!'))).toBe('FILE_REFERENCE_INVALID');
  });
});
