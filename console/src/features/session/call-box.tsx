import { useMutation } from '@tanstack/react-query';
import { Check, CircleCheck, CircleX, Play, Terminal } from 'lucide-react';
import { useId, useState } from 'react';
import { Badge } from '@/components/ui/badge';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { CopyButton, useCopy } from '@/components/ui/copy';
import { Field, Input, Select, TextArea } from '@/components/ui/field';
import { Kbd } from '@/components/ui/kbd';
import { ErrorNote, RequestId } from '@/components/ui/states';
import { rememberFirstCall } from '@/lib/first-call';
import type { SessionSummary } from '@/lib/types';
import { asCurl, paramsProblem, runCall, type CallAnswer, type CallRequest } from './call';
import { METHOD_NAMES, PRESETS } from './call-presets';
import { JsonView, toText } from './json-view';

/** Runs any td_api method on this session and shows what came back, as it came back. */
export function CallBox({ session }: { session: SessionSummary }) {
  const [method, setMethod] = useState('getMe');
  const [paramsText, setParamsText] = useState('');
  const [complaints, setComplaints] = useState<{ method?: string; params?: string }>({});
  const listId = useId();
  const call = useMutation({
    mutationFn: (request: CallRequest) => runCall(request),
    onSuccess: (answer) => {
      if (answer.ok) rememberFirstCall();
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
    if (Object.keys(found).length === 0 && ready && !call.isPending) call.mutate(request);
  };

  return (
    <Card title="Call" description="Any td_api method, run by this session at Telegram for real.">
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
                <Input
                  {...wiring}
                  list={listId}
                  value={method}
                  onChange={(event) => setMethod(event.target.value)}
                  autoComplete="off"
                  autoCapitalize="off"
                  spellCheck={false}
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
                  const preset = PRESETS.find(({ name }) => name === event.target.value);
                  if (!preset) return;
                  setMethod(preset.method);
                  setParamsText(preset.params);
                  setComplaints({});
                }}
              >
                <option value="">An example…</option>
                {PRESETS.filter(({ only }) => only === undefined || only === session.kind).map(({ name }) => (
                  <option key={name} value={name}>
                    {name}
                  </option>
                ))}
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
          <CurlButton request={request} />
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

function CurlButton({ request }: { request: CallRequest }) {
  const { copied, copy } = useCopy();
  return (
    <Button onClick={() => void copy(asCurl(window.location.origin, request))}>
      {copied ? <Check aria-hidden className="text-ok" /> : <Terminal aria-hidden />}
      {copied ? 'Copied' : 'Copy as curl'}
    </Button>
  );
}

function Answer({ answer }: { answer: CallAnswer }) {
  const text = toText(answer.json);
  return (
    <section aria-label="Answer" className="mt-5 border-t border-line pt-4">
      <div role="status" className="mb-2.5 flex flex-wrap items-center gap-x-4 gap-y-1.5 text-xs text-ink-2">
        <Badge tone={answer.ok ? 'ok' : 'bad'} icon={answer.ok ? CircleCheck : CircleX}>
          {answer.ok ? `${answer.status} answered` : `${answer.status} refused`}
        </Badge>
        <span className="tabular">{answer.durationMs} ms</span>
        <RequestId id={answer.requestId} />
        <span className="ml-auto">
          <CopyButton text={text} what="answer" />
        </span>
      </div>
      <JsonView value={answer.json} label={answer.ok ? 'Result' : 'Error'} />
    </section>
  );
}
