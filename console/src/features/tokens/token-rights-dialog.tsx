import { CircleCheck, CircleX } from 'lucide-react';
import { useId, useState } from 'react';
import { METHOD_CLASS } from '@/components/call/method-class';
import { sessionName } from '@/components/session/name';
import { Badge } from '@/components/ui/badge';
import { Button } from '@/components/ui/button';
import { Dialog } from '@/components/ui/dialog';
import { Field, Select, TextArea, VerbatimInput } from '@/components/ui/field';
import { RelativeTime } from '@/components/ui/relative-time';
import { ErrorNote } from '@/components/ui/states';
import { $api } from '@/lib/api';
import { useNow } from '@/lib/clock';
import { useApps, usePools, useSessions, useTdMethods } from '@/lib/queries';
import { isRecord, textOf } from '@/lib/td';
import type { CheckedCall, Token } from '@/lib/types';
import { allowedMethods, CLASSES, tokenState } from './token-rights';
import { describeScope, tokenName } from './token-scope';

/** What a token may do, all its limits taken together, and whether a certain call of it would pass. */
export function TokenRightsDialog({ token, onClose }: { token: Token; onClose: () => void }) {
  return (
    <Dialog
      title={`What ${tokenName(token)} may do`}
      description="All that limits it, taken together."
      onClose={onClose}
      className="sm:max-w-xl"
    >
      <Rights token={token} />
      <Tester token={token} />
    </Dialog>
  );
}

function Rights({ token }: { token: Token }) {
  const apps = useApps();
  const sessions = useSessions();
  const known = useTdMethods();
  const pools = usePools();
  const poolName = (id: string): string => pools.data?.find((pool) => pool.id === id)?.name ?? id.slice(0, 8);
  const state = tokenState(token, useNow());
  const allowed = known.data && allowedMethods(token, known.data);
  return (
    <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-5 gap-y-2 text-sm">
      {state !== 'enabled' && (
        <>
          <dt className="text-ink-2">Now</dt>
          <dd className="font-medium text-bad">
            Nothing: it {state === 'expired' ? 'has expired' : 'is disabled'}. What follows is what it could do else.
          </dd>
        </>
      )}
      <dt className="text-ink-2">Sessions</dt>
      <dd>{describeScope(token, apps.data ?? [], sessions.data ?? [])}</dd>
      <dt className="text-ink-2">Methods</dt>
      <dd>
        {allowed ? `${allowed.length} of ${known.data.length}` : 'Counting…'}
        <span className="mt-1 flex flex-wrap gap-x-3 gap-y-1">
          {CLASSES.map((name) => {
            const { word, tone, icon } = METHOD_CLASS[name];
            const has = token.classes.includes(name);
            return (
              <Badge key={name} bare tone={has ? tone : 'idle'} icon={has ? icon : CircleX}>
                {has ? word : `No ${word.toLowerCase()}`}
              </Badge>
            );
          })}
        </span>
        {token.methods !== undefined && (
          <code className="mt-1 block font-mono text-xs break-words text-ink-2">
            {token.methods.join(' ') || 'none'}
          </code>
        )}
      </dd>
      <dt className="text-ink-2">Chats</dt>
      <dd>
        {token.chats === undefined ? (
          <>
            All
            {!token.classes.includes('account') && ', except Telegram’s service chat, where login codes arrive'}
          </>
        ) : (
          <code className="font-mono text-xs break-words">{token.chats.join(' ') || 'none'}</code>
        )}
      </dd>
      <dt className="text-ink-2">Bot pools</dt>
      <dd>
        {token.pool_ids.length === 0
          ? 'None'
          : `${token.pool_ids.map(poolName).join(', ')}: ${token.pool_access === 'write' ? 'read and write' : 'read'}`}
      </dd>
      <dt className="text-ink-2">Until</dt>
      <dd>{token.expires_at === undefined ? 'Without end' : <RelativeTime at={token.expires_at} />}</dd>
    </dl>
  );
}

/** @returns undefined when the text is no JSON object */
function readParams(text: string): Record<string, unknown> | undefined {
  if (text.trim() === '') return {};
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Asks the server, which goes the way that the call would go; nothing is called. */
function Tester({ token }: { token: Token }) {
  const sessions = useSessions();
  const known = useTdMethods();
  const check = $api.useMutation('post', '/v1/tokens/{id}/check');
  const listId = useId();
  const headingId = useId();
  const [sessionId, setSessionId] = useState<string>();
  const [method, setMethod] = useState('getMe');
  const [params, setParams] = useState('');
  const [isWrong, setIsWrong] = useState(false);
  const covered = sessions.data?.find(
    ({ id, app_id }) => token.session_ids.includes(id) || token.app_ids.includes(app_id),
  );
  const chosen = sessionId ?? covered?.id ?? sessions.data?.[0]?.id ?? '';
  const change = (set: () => void): void => {
    set();
    setIsWrong(false);
    // What was answered was about another call.
    check.reset();
  };
  const submit = (): void => {
    const read = readParams(params);
    setIsWrong(read === undefined);
    if (read === undefined || chosen === '') return;
    check.mutate({
      params: { path: { id: token.id } },
      body: { method: method.trim(), session_id: chosen, params: read },
    });
  };
  return (
    <section aria-labelledby={headingId} className="mt-5 border-t border-line pt-4">
      <h3 id={headingId} className="text-sm font-semibold">
        Would a call pass?
      </h3>
      <p className="mt-0.5 text-xs text-ink-2">The server goes the way that the call would go. Nothing is called.</p>
      <form
        className="mt-3 flex flex-col gap-3"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        <div className="grid gap-3 sm:grid-cols-2">
          <Field label="Session">
            {(wiring) => (
              <Select {...wiring} value={chosen} onChange={({ target }) => change(() => setSessionId(target.value))}>
                {(sessions.data ?? []).map((session) => (
                  <option key={session.id} value={session.id}>
                    {sessionName(session)}
                  </option>
                ))}
              </Select>
            )}
          </Field>
          <Field label="Method">
            {(wiring) => (
              <>
                <VerbatimInput
                  {...wiring}
                  list={listId}
                  value={method}
                  onChange={({ target }) => change(() => setMethod(target.value))}
                  className="font-mono text-xs sm:text-xs"
                />
                <datalist id={listId}>
                  {(known.data ?? []).map(({ name }) => (
                    <option key={name} value={name} />
                  ))}
                </datalist>
              </>
            )}
          </Field>
        </div>
        <Field label="Params" optional error={isWrong ? 'This is no JSON object.' : undefined}>
          {(wiring) => (
            <TextArea
              {...wiring}
              rows={2}
              value={params}
              onChange={({ target }) => change(() => setParams(target.value))}
              placeholder='{"chat_id": -1001234567890}'
              spellCheck={false}
              className="font-mono text-xs sm:text-xs"
            />
          )}
        </Field>
        <Button type="submit" className="self-start" disabled={chosen === ''} pending={check.isPending}>
          Check
        </Button>
      </form>
      <div role="status" className="mt-3">
        {check.data && <Verdict checked={check.data.result} />}
      </div>
      <ErrorNote error={check.error} lead="It could not be checked." />
    </section>
  );
}

function Verdict({ checked }: { checked: CheckedCall }) {
  if (checked.allowed) {
    return (
      <p className="flex items-center gap-2 rounded-lg bg-ok-soft px-3.5 py-3 text-sm text-ok">
        <CircleCheck aria-hidden className="size-4 shrink-0" />
        Yes: the call would be passed on to Telegram.
      </p>
    );
  }
  const error = checked.error ?? {};
  const code = error['code'];
  return (
    <p className="flex gap-2 rounded-lg bg-bad-soft px-3.5 py-3 text-sm text-bad">
      <CircleX aria-hidden className="mt-0.5 size-4 shrink-0" />
      <span className="min-w-0 break-words">
        <strong className="font-semibold">No:</strong> {textOf(error, 'message')}{' '}
        <code className="font-mono text-xs">
          {checked.status} {typeof code === 'string' || typeof code === 'number' ? code : ''}
        </code>
      </span>
    </p>
  );
}
