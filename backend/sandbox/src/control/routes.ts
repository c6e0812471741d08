import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { ProxyBehaviour, ProxyOptions } from '../rpc.js';
import type { FaultOptions } from '../world/faults.js';
import type { JournalFilter } from '../world/journal.js';
import { isAdminRight } from '../world/rights.js';
import type { AccountChange, NewAccount } from './accounts.js';
import { toCamelCase } from './case.js';
import type { NewChat } from './chats.js';
import type { Control } from './control.js';
import type { FileSource, MessageFilter, NewMessage } from './messages.js';
import * as schemas from './schemas.js';

/** A validated body in the form the control object takes; the schema of its route vouches for the type it is cast to. */
function bodyOf(request: FastifyRequest): unknown {
  return toCamelCase(request.body ?? {});
}

/** The same for the query. */
function queryOf(request: FastifyRequest): unknown {
  return toCamelCase(request.query);
}

function idOf(request: FastifyRequest): number {
  return (request.params as { readonly id: number }).id;
}

/** A handler that answers when `act` is over and has nothing to tell; Fastify would wait for ever on `undefined`. */
function done(act: (request: FastifyRequest) => unknown): (request: FastifyRequest) => Promise<object> {
  return async (request) => {
    await act(request);
    return {};
  };
}

/** Accounts and bots. */
export function accountRoutes(app: FastifyInstance, control: Control): void {
  const { accounts } = control;
  const byId = { params: schemas.numericId };
  app.post('/accounts', { schema: { body: schemas.newAccount } }, (request) =>
    accounts.createAccount(bodyOf(request) as NewAccount),
  );
  app.post('/bots', { schema: { body: schemas.newBot } }, (request) =>
    accounts.createBot(bodyOf(request) as Parameters<Control['createBot']>[0]),
  );
  app.get('/accounts', () => accounts.accounts());
  app.get('/accounts/:id', { schema: byId }, (request) => accounts.account(idOf(request)));
  app.get('/accounts/:phone/codes', (request) => accounts.codes((request.params as { readonly phone: string }).phone));
  app.post('/accounts/:id/set', { schema: { ...byId, body: schemas.accountChange } }, (request) =>
    accounts.update(idOf(request), bodyOf(request) as AccountChange),
  );
  app.post(
    '/accounts/:id/freeze',
    { schema: { ...byId, body: schemas.freeze } },
    done((request) => {
      accounts.freeze(idOf(request), (bodyOf(request) as { until?: number }).until);
    }),
  );
  app.post('/accounts/:id/terminate-sessions', { schema: { ...byId, body: schemas.terminate } }, (request) => ({
    ended: accounts.terminateSessions(idOf(request), (bodyOf(request) as { reason?: string }).reason),
  }));
  app.post(
    '/accounts/:id/scan-qr',
    { schema: { ...byId, body: schemas.scanQr } },
    done((request) => {
      accounts.scanQr(idOf(request), (bodyOf(request) as { link: string }).link);
    }),
  );
  app.post(
    '/accounts/:id/contacts',
    { schema: { ...byId, body: schemas.contact } },
    done((request) => {
      accounts.makeContacts(idOf(request), (bodyOf(request) as { userId: number }).userId);
    }),
  );
  const acts: Record<string, (id: number) => void> = {
    ban: (id) => {
      accounts.ban(id);
    },
    unban: (id) => {
      accounts.unban(id);
    },
    unfreeze: (id) => {
      accounts.unfreeze(id);
    },
    'forget-updates': (id) => {
      accounts.forgetUpdates(id);
    },
    'drop-connections': (id) => {
      control.dropConnections(id);
    },
  };
  for (const [name, act] of Object.entries(acts)) {
    app.post(
      `/accounts/:id/${name}`,
      { schema: byId },
      done((request) => {
        act(idOf(request));
      }),
    );
  }
}

/** Chats, their members, and messages. */
export function chatRoutes(app: FastifyInstance, control: Control): void {
  const { chats } = control;
  const byId = { params: schemas.numericId };
  app.post('/chats', { schema: { body: schemas.newChat } }, (request) => chats.createChat(bodyOf(request) as NewChat));
  app.get('/chats', () => chats.chats());
  app.get('/chats/:id', { schema: byId }, (request) => chats.chat(idOf(request)));
  app.post(
    '/chats/:id/members',
    { schema: { ...byId, body: schemas.newMember } },
    done((request) => {
      const { userId, rights } = bodyOf(request) as { userId: number; rights?: readonly string[] };
      if (rights) chats.promote(idOf(request), userId, rights.filter(isAdminRight));
      else chats.addMember(idOf(request), userId);
    }),
  );
  app.delete(
    '/chats/:id/members/:userId',
    { schema: { params: schemas.memberId } },
    done((request) => {
      chats.removeMember(idOf(request), (request.params as { readonly userId: number }).userId);
    }),
  );
  app.post(
    '/chats/:id/slow-mode',
    { schema: { ...byId, body: schemas.slowMode } },
    done((request) => {
      chats.setSlowMode(idOf(request), (bodyOf(request) as { seconds: number }).seconds);
    }),
  );
  app.post(
    '/chats/:id/forget-updates',
    { schema: byId },
    done((request) => {
      chats.forgetUpdates(idOf(request));
    }),
  );
  app.post('/messages', { schema: { body: schemas.newMessage } }, (request) => control.sendMessage(messageOf(request)));
  app.get('/messages', { schema: { querystring: schemas.messageFilter } }, (request) =>
    control.messages(queryOf(request) as MessageFilter),
  );
}

/** Faults, rules, proxies, time. */
export function weatherRoutes(app: FastifyInstance, control: Control): void {
  const byId = { params: schemas.numericId };
  app.post('/faults', { schema: { body: schemas.newFault } }, (request) =>
    control.addFault(bodyOf(request) as FaultOptions),
  );
  app.get('/faults', () => control.faults());
  app.delete(
    '/faults',
    done(() => {
      control.removeFault();
    }),
  );
  app.delete(
    '/faults/:id',
    { schema: byId },
    done((request) => {
      control.removeFault(idOf(request));
    }),
  );
  app.post('/rules', { schema: { body: schemas.newRule } }, (request) => {
    const { windowS, waitS, ...rule } = bodyOf(request) as NewRule;
    return control.addRule({ ...rule, windowSeconds: windowS, waitSeconds: waitS });
  });
  app.post('/rules/bots', () => control.limitBots());
  app.get('/rules', () => control.rules());
  app.delete(
    '/rules',
    done(() => {
      control.removeRule();
    }),
  );
  app.delete(
    '/rules/:id',
    { schema: byId },
    done((request) => {
      control.removeRule(idOf(request));
    }),
  );
  app.post('/proxies', { schema: { body: schemas.newProxy } }, (request) =>
    control.addProxy(bodyOf(request) as ProxyOptions),
  );
  app.get('/proxies', () => control.proxies());
  app.patch('/proxies/:id', { schema: { body: schemas.proxyChange } }, (request) =>
    control.changeProxy(nameOf(request), bodyOf(request) as { behaviour?: ProxyBehaviour; kbit?: number }),
  );
  app.delete(
    '/proxies/:id',
    done((request) => control.removeProxy(nameOf(request))),
  );
  app.post('/clock', { schema: { body: schemas.clockChange } }, (request) =>
    control.advanceClock((bodyOf(request) as { advanceS: number }).advanceS),
  );
  app.post(
    '/files/expire-references',
    done(() => {
      control.expireFileReferences();
    }),
  );
}

/** What happened, and going back. */
export function stateRoutes(app: FastifyInstance, control: Control): void {
  app.get('/connections', () => control.connections());
  app.get('/key-conflicts', () => control.keyConflicts());
  app.get('/journal', { schema: { querystring: schemas.journalFilter } }, (request) =>
    control.journal(queryOf(request) as JournalFilter),
  );
  app.get('/stats', () => control.stats());
  app.post('/snapshot', () => control.snapshots.take());
  app.post(
    '/restore',
    { schema: { body: schemas.restore } },
    done((request) => control.snapshots.restore((bodyOf(request) as { id?: string }).id)),
  );
  app.post(
    '/reset',
    done(() => control.snapshots.reset()),
  );
}

interface NewRule {
  readonly method: string;
  readonly per: 'account' | 'account_chat';
  readonly max: number;
  readonly windowS: number;
  readonly waitS?: number;
}

/** Files come as base64 in JSON. */
function messageOf(request: FastifyRequest): NewMessage {
  type Encoded = Omit<FileSource, 'bytes'> & { readonly bytes?: string };
  const { document, photo, ...message } = bodyOf(request) as Omit<NewMessage, 'document' | 'photo'> & {
    readonly document?: Encoded;
    readonly photo?: Encoded;
  };
  const decode = ({ bytes, ...source }: Encoded): FileSource => ({
    ...source,
    bytes: bytes === undefined ? undefined : Buffer.from(bytes, 'base64'),
  });
  return { ...message, document: document && decode(document), photo: photo && decode(photo) };
}

function nameOf(request: FastifyRequest): string {
  return (request.params as { readonly id: string }).id;
}
