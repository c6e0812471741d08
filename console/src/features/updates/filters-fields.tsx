import { useQuery } from '@tanstack/react-query';
import { Filter } from 'lucide-react';
import { useEffect, useId, useState } from 'react';
import { Field, TextArea, VerbatimInput } from '@/components/ui/field';
import { fetchClient } from '@/lib/api';
import { useTdTypes } from '@/lib/queries';
import type { SessionRef } from '@/lib/td';
import type { UpdateFilters } from '@/lib/types';
import { readChatIds, words } from '@/lib/words';

/** Filters as they are typed. */
export interface FiltersText {
  readonly types: string;
  readonly excludeTypes: string;
  readonly chats: string;
}

/** Types that are asked for most, and our own events. */
const COMMON = [
  'updateNewMessage',
  'updateMessageEdited',
  'updateDeleteMessages',
  'updateNewCallbackQuery',
  'updateMessageSendSucceeded',
  'updateMessageSendFailed',
  'updateChatMember',
  'tgcontrol.session.status',
  'tgcontrol.session.health',
  'tgcontrol.subscription.disabled',
] as const;
const SETTLE_MS = 400;

/** Reads what was typed; `problem` says what is no chat id. An empty field is no filter. */
export function readFilters(text: FiltersText): { filters: UpdateFilters; problem?: string } {
  const types = words(text.types);
  const excluded = words(text.excludeTypes);
  const { chats, problem } = readChatIds(text.chats);
  return {
    filters: {
      ...(types.length > 0 ? { types } : {}),
      ...(excluded.length > 0 ? { exclude_types: excluded } : {}),
      ...(chats.length > 0 ? { chats } : {}),
    },
    ...(problem === undefined ? {} : { problem }),
  };
}

/** The fields for filters that are set already. */
export function filtersText({ types, exclude_types, chats }: UpdateFilters): FiltersText {
  return {
    types: (types ?? []).join(' '),
    excludeTypes: (exclude_types ?? []).join(' '),
    chats: (chats ?? []).join(' '),
  };
}

interface FiltersFieldsProps {
  session: SessionRef;
  value: FiltersText;
  onChange: (value: FiltersText) => void;
}

/** Which updates are wanted, with what that would have let pass of the last ones. */
export function FiltersFields({ session, value, onChange }: FiltersFieldsProps) {
  const { filters, problem } = readFilters(value);
  const chosen = new Set(words(value.types));
  const toggle = (type: string, on: boolean): void => {
    const next = on ? [...chosen, type] : [...chosen].filter((other) => other !== type);
    onChange({ ...value, types: next.join(' ') });
  };
  return (
    <div className="flex flex-col gap-4">
      <fieldset>
        <legend className="text-sm font-medium">Types of updates</legend>
        <p className="mt-0.5 text-xs text-ink-3">None chosen means every update of TDLib.</p>
        <div className="mt-2 grid gap-x-4 rounded-lg border border-line py-1 sm:grid-cols-2">
          {COMMON.map((type) => (
            <label key={type} className="flex min-w-0 items-center gap-2.5 px-3.5 py-1.5 text-xs hover:bg-sunken/60">
              <input
                type="checkbox"
                checked={chosen.has(type)}
                onChange={(event) => toggle(type, event.target.checked)}
                className="size-4 shrink-0 accent-accent"
              />
              <code className="min-w-0 truncate font-mono">{type}</code>
            </label>
          ))}
        </div>
      </fieldset>
      <TypesField label="Types" value={value.types} onChange={(types) => onChange({ ...value, types })} />
      <TypesField
        label="Leave out"
        value={value.excludeTypes}
        onChange={(excludeTypes) => onChange({ ...value, excludeTypes })}
      />
      <Field
        label="Only these chats"
        optional
        error={problem}
        hint="Ids, separated by spaces. Updates of no chat are left out then."
      >
        {(wiring) => (
          <TextArea
            {...wiring}
            rows={2}
            value={value.chats}
            onChange={(event) => onChange({ ...value, chats: event.target.value })}
            className="font-mono text-xs sm:text-xs"
          />
        )}
      </Field>
      {problem === undefined && <Preview session={session} filters={filters} />}
    </div>
  );
}

function TypesField({ label, value, onChange }: { label: string; value: string; onChange: (value: string) => void }) {
  const types = useTdTypes();
  const listId = useId();
  const unknown = types.data
    ? words(value).filter((name) => !name.startsWith('tgcontrol.') && !types.data.some((type) => type.name === name))
    : [];
  return (
    <Field
      label={label}
      optional
      hint={
        unknown.length > 0 ? (
          <span className="text-wait">This TDLib makes no {unknown.join(', ')}.</span>
        ) : (
          'Names of td_api, separated by spaces.'
        )
      }
    >
      {(wiring) => (
        <>
          <VerbatimInput
            {...wiring}
            list={listId}
            value={value}
            onChange={(event) => onChange(event.target.value)}
            className="font-mono text-xs sm:text-xs"
          />
          <datalist id={listId}>
            {(types.data ?? [])
              .filter(({ name }) => name.startsWith('update') && name !== 'updates')
              .map(({ name }) => (
                <option key={name} value={name} />
              ))}
          </datalist>
        </>
      )}
    </Field>
  );
}

/** "would match n of the last 100", asked when the typing has settled. */
function Preview({ session, filters }: { session: SessionRef; filters: UpdateFilters }) {
  const text = JSON.stringify(filters);
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), SETTLE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  const { kind, id } = session;
  const { data, isError } = useQuery({
    queryKey: ['preview', id, settled],
    queryFn: async ({ signal }) => {
      const body = { filters: JSON.parse(settled) as UpdateFilters };
      const path = { params: { path: { kind, id } }, body, signal };
      return (await fetchClient.POST('/v1/{kind}/{id}/updates/subscriptions/preview', path)).data;
    },
    placeholderData: (before) => before,
  });
  const result = data?.result;
  return (
    <div role="status" className="rounded-lg bg-sunken px-3.5 py-3 text-xs text-ink-2">
      {isError ? (
        'What it would match cannot be told now.'
      ) : !result ? (
        'Looking at the last updates…'
      ) : result.of === 0 ? (
        'No updates of this session are stored yet, so there is nothing to try the filters on.'
      ) : (
        <>
          <p className="flex items-center gap-2 text-sm text-ink">
            <Filter aria-hidden className="size-4" />
            <span>
              Would match <strong className="tabular font-semibold">{result.matched}</strong> of the last{' '}
              <strong className="tabular font-semibold">{result.of}</strong> updates that are stored.
            </span>
          </p>
          <p className="mt-1.5">
            {Object.entries(result.types)
              .sort(([, a], [, b]) => b - a)
              .slice(0, 6)
              .map(([type, count]) => `${type} ${count}`)
              .join(' · ')}
          </p>
        </>
      )}
    </div>
  );
}
