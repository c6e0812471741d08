import { useMutation } from '@tanstack/react-query';
import { Play, SquareTerminal } from 'lucide-react';
import Link from 'next/link';
import { useId, useState } from 'react';
import { Answer } from '@/components/call/answer';
import { CopyAsCurl } from '@/components/call/copy-as';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { Field, Select, TextArea, VerbatimInput } from '@/components/ui/field';
import { Kbd } from '@/components/ui/kbd';
import { ErrorNote } from '@/components/ui/states';
import { paramsProblem, runCall, type CallRequest } from '@/lib/call';
import { leaveDraft } from '@/lib/call-draft';
import { rememberFirstCall } from '@/lib/first-call';
import { playgroundHref } from '@/lib/overlays';
import { useRefresh } from '@/lib/queries';
import type { SessionSummary } from '@/lib/types';
import { METHOD_NAMES, presetsFor, type CallPreset } from './call-presets';

/** Runs any td_api method on this session and shows what came back, as it came back. */
export function CallBox({ session, accountId }: { session: SessionSummary; accountId: number | undefined }) {
  const [method, setMethod] = useState('getMe');
  const [paramsText, setParamsText] = useState('');
  const [complaints, setComplaints] = useState<{ method?: string; params?: string }>({});
  const listId = useId();
  const refresh = useRefresh();
  const presets = presetsFor(session.kind, accountId);
  const call = useMutation({
    mutationFn: (request: CallRequest) => runCall(request),
    onSuccess: (answer) => {
      if (answer.ok) rememberFirstCall();
      void refresh.sends();
    },
  });
  const request: CallRequest = { kind: session.kind, id: session.id, method: method.trim(), paramsText };
  const ready = session.status === 'authorized';

  const send = (): void => {
    const problem = paramsProblem(paramsText);
    const found = {
      ...(request.method === '' ? { method: 'Enter the name of a td_api method.' } : {}),
      ...(problem === undefined ? {} : { params: problem }),
    };
    setComplaints(found);
    // Whatever stands below belongs to an earlier call.
    if (!call.isPending) call.reset();
    if (Object.keys(found).length === 0 && ready && !call.isPending) call.mutate(request);
  };

  return (
    <Card
      title="Call"
      description="Any td_api method, run at Telegram for real."
      aside={
        <Button asChild size="sm">
          <Link
            href={playgroundHref(session, request.method)}
            onClick={() => leaveDraft({ sessionId: session.id, method: request.method, paramsText })}
          >
            <SquareTerminal aria-hidden />
            Open in the playground
          </Link>
        </Button>
      }
    >
      <form
        noValidate
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
        <div className="grid gap-4 sm:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
          <Field label="Method" error={complaints.method}>
            {(wiring) => (
              <>
                <VerbatimInput
                  {...wiring}
                  list={listId}
                  value={method}
                  onChange={(event) => setMethod(event.target.value)}
                  className="font-mono"
                />
                <datalist id={listId}>
                  {METHOD_NAMES.map((name) => (
                    <option key={name} value={name} />
                  ))}
                </datalist>
              </>
            )}
          </Field>
          <Field label="Start from">
            {(wiring) => (
              <Select
                {...wiring}
                value=""
                onChange={(event) => {
                  const preset = presets.find(({ name }) => name === event.target.value);
                  if (!preset) return;
                  setMethod(preset.method);
                  setParamsText(preset.params);
                  setComplaints({});
                }}
              >
                <option value="">An example…</option>
                <Examples label="Work as they are" presets={presets.filter(({ toFill }) => toFill !== true)} />
                <Examples label="Need a chat filled in" presets={presets.filter(({ toFill }) => toFill === true)} />
              </Select>
            )}
          </Field>
        </div>
        <Field
          label="Params"
          optional
          error={complaints.params}
          hint={
            <>
              JSON as td_api writes it. <code className="font-mono">chat_id</code> also takes{' '}
              <code className="font-mono">@name</code> or a t.me link.
            </>
          }
        >
          {(wiring) => (
            <TextArea
              {...wiring}
              rows={Math.min(16, Math.max(5, paramsText.split('\n').length + 1))}
              value={paramsText}
              onChange={(event) => setParamsText(event.target.value)}
              spellCheck={false}
              autoCapitalize="off"
              placeholder="{ }"
              className="resize-y font-mono text-xs sm:text-xs"
            />
          )}
        </Field>
        <div className="flex flex-wrap items-center gap-2">
          <Button type="submit" tone="primary" pending={call.isPending} disabled={!ready}>
            {!call.isPending && <Play aria-hidden />}
            Send call
          </Button>
          <CopyAsCurl request={request} />
          <span className="ml-auto hidden items-center gap-1 text-xs text-ink-3 sm:flex">
            <Kbd>Ctrl</Kbd>
            <Kbd>Enter</Kbd>
          </span>
        </div>
        {!ready && <p className="text-xs text-ink-2">Calls are possible once the session is ready.</p>}
      </form>
      {call.isError && <ErrorNote className="mt-4" error={call.error} lead="The call was not answered." />}
      {call.data && <Answer answer={call.data} />}
    </Card>
  );
}

function Examples({ label, presets }: { label: string; presets: readonly CallPreset[] }) {
  if (presets.length === 0) return null;
  return (
    <optgroup label={label}>
      {presets.map(({ name }) => (
        <option key={name} value={name}>
          {name}
        </option>
      ))}
    </optgroup>
  );
}
