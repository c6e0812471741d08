'use client';

import { useMutation } from '@tanstack/react-query';
import { Bot, Play, SquareTerminal, TriangleAlert } from 'lucide-react';
import Link from 'next/link';
import { Suspense, useMemo, useState, type ReactNode } from 'react';
import { toast } from 'sonner';
import { Answer } from '@/components/call/answer';
import { CopyAsCurl, CopyAsFetch } from '@/components/call/copy-as';
import { StatusBadge } from '@/components/session/badges';
import { sessionName } from '@/components/session/name';
import { STATUS } from '@/components/session/status';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { Select } from '@/components/ui/field';
import { Kbd } from '@/components/ui/kbd';
import { Page } from '@/components/ui/page';
import { EmptyState, ErrorNote, LoadFailed, LoadingRows } from '@/components/ui/states';
import { runCall, type CallRequest } from '@/lib/call';
import { findDraft, leaveDraft } from '@/lib/call-draft';
import { mayKeep, rememberCall, type CallRecord } from '@/lib/call-history';
import { rememberFirstCall } from '@/lib/first-call';
import { sessionHref, useOverlays } from '@/lib/overlays';
import { useSessions, useTdMethods, useTdTypes } from '@/lib/queries';
import { useStored, writeStored } from '@/lib/stored';
import type { SessionSummary, TdField, TdMethod, TdType } from '@/lib/types';
import { useUrlState } from '@/lib/url-state';
import { CallOptions, optionsProblem, type CallOptionsValue } from './call-options';
import { FollowedSends } from './followed-sends';
import { HistoryCard } from './history-card';
import { MethodBox } from './method-box';
import { MethodDocs } from './method-docs';
import { ParamsEditor, type ParamsDraft } from './params-editor';
import { PutFileButton } from './put-file-button';
import { addParameter } from './td/complete';
import { parseJson } from './td/json-text';
import { putFile, type PutFile } from './td/put-file';
import { indexTd, methodSkeleton } from './td/schema';
import { closest, validateParams } from './td/validate';

const LAST_SESSION_KEY = 'tgcontrol.playground.session';

/** Any td_api method on one of the sessions, with what td_api says about it beside. */
export function PlaygroundPage() {
  return (
    <Suspense>
      <FoundPlayground />
    </Suspense>
  );
}

function FoundPlayground() {
  const url = useUrlState();
  const sessions = useSessions();
  const methods = useTdMethods();
  const types = useTdTypes();
  const last = useStored(LAST_SESSION_KEY);
  const { openCreate } = useOverlays();
  const description = 'Any td_api method, run by one of your sessions at Telegram for real.';
  const frame = (children: ReactNode, actions?: ReactNode) => (
    <Page title="Playground" description={description} actions={actions}>
      {children}
    </Page>
  );
  if (sessions.isPending || methods.isPending) {
    return frame(
      <Card flush>
        <LoadingRows what="methods" rows={4} />
      </Card>,
    );
  }
  if (sessions.isLoadingError) {
    return frame(
      <Card flush>
        <LoadFailed what="sessions" error={sessions.error} onRetry={sessions.refetch} />
      </Card>,
    );
  }
  if (methods.isLoadingError) {
    return frame(
      <Card flush>
        <LoadFailed what="methods" error={methods.error} onRetry={methods.refetch} />
      </Card>,
    );
  }
  const asked = url.get('session');
  const chosen = sessions.data.find(({ id }) => id === asked);
  const session =
    chosen ??
    sessions.data.find(({ id }) => id === last) ??
    sessions.data.find(({ status }) => status === 'authorized') ??
    sessions.data[0];
  if (!session) {
    return frame(
      <Card flush>
        <EmptyState
          icon={SquareTerminal}
          title="No session to call with"
          action={
            <Button tone="primary" onClick={() => openCreate('bot')}>
              <Bot aria-hidden />
              Add a bot
            </Button>
          }
        >
          Calls are made by a bot or a user account that is signed in. A bot is there in seconds: it needs only its
          token.
        </EmptyState>
      </Card>,
    );
  }
  return frame(
    <>
      {asked !== null && !chosen && (
        <p role="alert" className="flex gap-2.5 rounded-xl bg-wait-soft px-4 py-3 text-sm text-wait sm:px-5">
          <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0" />
          The session of this address is not there any more; another one is chosen.
        </p>
      )}
      <Calls
        session={session}
        methods={methods.data}
        types={types.data ?? []}
        typesError={types.isLoadingError ? types.error : undefined}
        urlMethod={url.get('method')}
        onMethod={(method) => url.replace({ method })}
      />
    </>,
    <SessionChoice
      sessions={sessions.data}
      session={session}
      onChoose={(id) => {
        writeStored(LAST_SESSION_KEY, id);
        url.replace({ session: id });
      }}
    />,
  );
}

interface SessionChoiceProps {
  sessions: readonly SessionSummary[];
  session: SessionSummary;
  onChoose: (id: string) => void;
}

function SessionChoice({ sessions, session, onChoose }: SessionChoiceProps) {
  const option = (candidate: SessionSummary) => (
    <option key={candidate.id} value={candidate.id}>
      {sessionName(candidate)}
      {candidate.status === 'authorized' ? '' : ` – ${STATUS[candidate.status].word}`}
    </option>
  );
  const bots = sessions.filter(({ kind }) => kind === 'bot');
  const users = sessions.filter(({ kind }) => kind === 'user');
  return (
    <>
      <StatusBadge status={session.status} />
      <Select
        aria-label="Session"
        value={session.id}
        onChange={(event) => onChoose(event.target.value)}
        className="w-56 max-w-full"
      >
        {bots.length > 0 && <optgroup label="Bots">{bots.map(option)}</optgroup>}
        {users.length > 0 && <optgroup label="User accounts">{users.map(option)}</optgroup>}
      </Select>
    </>
  );
}

interface CallsProps {
  session: SessionSummary;
  methods: readonly TdMethod[];
  types: readonly TdType[];
  typesError: unknown;
  urlMethod: string | null;
  onMethod: (method: string) => void;
}

function Calls({ session, methods, types, typesError, urlMethod, onMethod }: CallsProps) {
  const index = useMemo(() => indexTd(methods, types), [methods, types]);
  const [start] = useState(() => findDraft(session.id, urlMethod));
  const [name, setName] = useState(start?.method ?? urlMethod ?? '');
  const [draft, setDraft] = useState<ParamsDraft>({ text: start?.paramsText ?? '' });
  /** What was typed for other methods, so that looking at one does not lose the params of another. */
  const [others, setOthers] = useState<ReadonlyMap<string, string>>(new Map());
  /** The method that the params were made for. */
  const [picked, setPicked] = useState(start?.method ?? '');
  const [options, setOptions] = useState<CallOptionsValue>({ wait: undefined, key: undefined });
  const [tried, setTried] = useState(false);

  const method = index.methods.get(name.trim());
  const mayWait = method !== undefined && method.class !== 'read';
  const issues = validateParams(index, method, draft.text);
  const blocking = issues.find(({ severity }) => severity === 'error');
  const wrongOptions = mayWait ? optionsProblem(options) : undefined;
  const ready = session.status === 'authorized';
  const request: CallRequest = {
    kind: session.kind,
    id: session.id,
    method: name.trim(),
    paramsText: draft.text,
    ...(mayWait && options.wait !== undefined ? { waitSeconds: Number(options.wait) } : {}),
    ...(mayWait && options.key !== undefined ? { idempotencyKey: options.key } : {}),
  };

  const call = useMutation({
    mutationFn: (sent: CallRequest) => runCall(sent),
    onSuccess: (answer) => {
      if (answer.ok) rememberFirstCall();
      const { id, method: called, paramsText } = answer.request;
      rememberCall({
        sessionId: id,
        method: called,
        at: Date.now(),
        ok: answer.ok,
        ...(mayKeep(index.methods.get(called)?.class, paramsText) ? { params: paramsText } : {}),
      });
    },
  });

  const change = (next: ParamsDraft, forMethod = name): void => {
    setDraft(next);
    leaveDraft({ sessionId: session.id, method: forMethod.trim(), paramsText: next.text });
  };
  const pick = (chosen: string): void => {
    setTried(false);
    setName(chosen);
    onMethod(chosen);
    if (chosen === picked && draft.text.trim() !== '') {
      change({ text: draft.text, select: { from: draft.text.length, to: draft.text.length } }, chosen);
      return;
    }
    setOthers(new Map(others).set(picked, draft.text));
    setPicked(chosen);
    const found = index.methods.get(chosen);
    const before = others.get(chosen);
    const skeleton = found ? methodSkeleton(index, found) : undefined;
    if (before !== undefined && before.trim() !== '') {
      change({ text: before, select: { from: before.length, to: before.length } }, chosen);
    } else if (skeleton) {
      change({ text: skeleton.text, select: { from: skeleton.selectFrom, to: skeleton.selectTo } }, chosen);
    } else {
      change({ text: '{}', select: { from: 1, to: 1 } }, chosen);
    }
  };
  const take = (record: CallRecord): void => {
    setTried(false);
    setName(record.method);
    setPicked(record.method);
    onMethod(record.method);
    const text = record.params ?? '';
    change({ text, select: { from: text.length, to: text.length } }, record.method);
  };
  const add = (field: TdField): void => {
    const { text, from, to } = addParameter(index, draft.text, field);
    change({ text, select: { from, to } });
  };

  const put = (file: PutFile): void => {
    const next = method ? putFile(index, method, draft.text, file) : undefined;
    if (next) change({ text: next.text, select: { from: next.from, to: next.to } });
    else toast.error(`${name.trim()} takes no file, as far as td_api tells.`);
  };

  const noMethod = name.trim() === '' ? 'Enter the name of a td_api method.' : undefined;
  const refused =
    method?.reserved === true ? 'The gateway keeps this method for itself: nobody may call it.' : undefined;
  const methodError = tried ? (noMethod ?? refused) : undefined;
  const send = (): void => {
    setTried(true);
    // Whatever stands below belongs to an earlier call.
    if (!call.isPending) call.reset();
    if (noMethod !== undefined || refused !== undefined || !ready || wrongOptions || call.isPending) return;
    if (blocking) {
      setDraft({ text: draft.text, select: { from: blocking.from, to: blocking.to } });
      return;
    }
    call.mutate(request);
  };

  const { root } = useMemo(() => parseJson(draft.text), [draft.text]);
  const given = new Set(root?.kind === 'object' ? root.members.map((member) => member.name) : []);
  const misspelt =
    method === undefined && name.trim() !== '' && name === picked
      ? closest(
          name.trim(),
          methods.map((candidate) => candidate.name),
        )
      : undefined;
  const hint =
    method?.bots_only === true && session.kind === 'user'
      ? 'td_api says that user accounts may not call this one.'
      : method === undefined && name.trim() !== '' && name === picked
        ? `The td_api of this server has no such method.${misspelt === undefined ? '' : ` Did you mean ${misspelt}?`}`
        : undefined;

  return (
    <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-5 lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
      {/* Not clipped: the lists of completions reach over its edge. */}
      <Card className="min-w-0 overflow-visible">
        <form
          noValidate
          aria-label="Call"
          onSubmit={(event) => {
            event.preventDefault();
            send();
          }}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
              event.preventDefault();
              send();
            }
          }}
          className="flex flex-col gap-4"
        >
          <MethodBox
            methods={methods}
            kind={session.kind}
            value={name}
            error={methodError}
            hint={hint}
            onType={setName}
            onPick={pick}
          />
          <ParamsEditor
            index={index}
            method={method}
            draft={draft}
            // A mistake is told when somebody wants to send; before, the text is only half typed.
            issues={tried ? issues : issues.filter(({ severity }) => severity === 'warning')}
            onChange={(next) => {
              change(next);
              if (blocking === undefined) setTried(false);
            }}
          />
          {mayWait && <CallOptions value={options} problem={tried ? wrongOptions : undefined} onChange={setOptions} />}
          <div className="flex flex-wrap items-center gap-2">
            <Button type="submit" tone="primary" pending={call.isPending} disabled={!ready}>
              {!call.isPending && <Play aria-hidden />}
              Send call
            </Button>
            {method && mayWait && <PutFileButton onPut={put} />}
            <CopyAsCurl request={request} />
            <CopyAsFetch request={request} />
            <span className="ml-auto hidden items-center gap-1 text-xs text-ink-3 sm:flex">
              <Kbd>Ctrl</Kbd>
              <Kbd>Enter</Kbd>
            </span>
          </div>
          {!ready && (
            <p className="text-sm text-ink-2">
              This session is not ready: {STATUS[session.status].explain}{' '}
              <Link href={sessionHref(session)} className="font-medium text-accent-ink underline underline-offset-2">
                Open the session
              </Link>
            </p>
          )}
          {typesError !== undefined && (
            <ErrorNote
              error={typesError}
              lead="The types of td_api could not be loaded; they are not completed or checked."
            />
          )}
        </form>
        {call.isError && <ErrorNote className="mt-4" error={call.error} lead="The call was not answered." />}
        {/* The same call may be tried on another session; an answer belongs to the one that gave it. */}
        {call.data?.request.id === session.id && (
          <Answer answer={call.data}>
            <FollowedSends key={call.data.requestId} answer={call.data} />
          </Answer>
        )}
      </Card>
      <div className="flex min-w-0 flex-col gap-5">
        {method && <MethodDocs index={index} method={method} given={given} onAdd={add} />}
        <HistoryCard sessionId={session.id} onTake={take} />
      </div>
    </div>
  );
}
