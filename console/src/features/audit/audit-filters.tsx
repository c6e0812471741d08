import { Search } from 'lucide-react';
import { useId, useState } from 'react';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { Field, Input, Select, VerbatimInput } from '@/components/ui/field';
import { useTokens } from '@/lib/queries';
import { ACTORS } from './actors';

/** What is looked for, as the address has it; empty for everything. Times are of ISO 8601. */
export interface AuditFilter {
  readonly actor: string;
  readonly action: string;
  readonly object: string;
  readonly from: string;
  readonly to: string;
  readonly request_id: string;
}

/** The fields of {@link AuditFilter}. */
export const FILTER_KEYS = ['actor', 'action', 'object', 'from', 'to', 'request_id'] as const;

/** Some operations that are looked for most; any other can be typed. */
const ACTIONS = [
  'createToken',
  'updateToken',
  'rotateToken',
  'deleteToken',
  'createBot',
  'createUser',
  'deleteSession',
  'liftCooldown',
  'createLimit',
  'updateLimit',
  'deleteLimit',
  'createProxy',
  'createApp',
];

/** As the browser's field for a time in the reader's zone wants it. */
function toLocal(iso: string): string {
  const at = new Date(iso);
  if (Number.isNaN(at.getTime())) return '';
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

const toIso = (local: string): string => (local === '' ? '' : new Date(local).toISOString());

interface AuditFiltersProps {
  filter: AuditFilter;
  onSearch: (filter: AuditFilter) => void;
}

/** Who, what, which thing and when. */
export function AuditFilters({ filter, onSearch }: AuditFiltersProps) {
  const tokens = useTokens();
  const actionsId = useId();
  const [draft, setDraft] = useState(filter);
  const set = (key: keyof AuditFilter) => (event: { readonly target: { readonly value: string } }) =>
    setDraft({ ...draft, [key]: event.target.value });
  const isFiltered = FILTER_KEYS.some((key) => filter[key] !== '');
  return (
    <Card>
      <form
        role="search"
        className="grid gap-3 sm:grid-cols-2 lg:grid-cols-3"
        onSubmit={(event) => {
          event.preventDefault();
          onSearch(draft);
        }}
      >
        <Field label="Who">
          {(wiring) => (
            <Select {...wiring} value={draft.actor} onChange={set('actor')}>
              <option value="">Everybody</option>
              {Object.entries(ACTORS).map(([actor, { word }]) => (
                <option key={actor} value={actor}>
                  {word}
                </option>
              ))}
              {(tokens.data ?? []).map(({ id, name, prefix }) => (
                <option key={id} value={id}>
                  Token {name ?? prefix}
                </option>
              ))}
            </Select>
          )}
        </Field>
        <Field label="What">
          {(wiring) => (
            <>
              <VerbatimInput
                {...wiring}
                list={actionsId}
                value={draft.action}
                onChange={set('action')}
                placeholder="createToken"
                className="font-mono text-xs sm:text-xs"
              />
              <datalist id={actionsId}>
                {ACTIONS.map((action) => (
                  <option key={action} value={action} />
                ))}
              </datalist>
            </>
          )}
        </Field>
        <Field label="Which">
          {(wiring) => (
            <Input
              {...wiring}
              value={draft.object}
              onChange={set('object')}
              placeholder="id of a session, a token, …"
              data-page-search
              autoComplete="off"
              spellCheck={false}
              className="font-mono text-xs sm:text-xs"
            />
          )}
        </Field>
        <Field label="From">
          {(wiring) => (
            <Input
              {...wiring}
              type="datetime-local"
              value={toLocal(draft.from)}
              onChange={({ target: { value } }) => setDraft({ ...draft, from: toIso(value) })}
            />
          )}
        </Field>
        <Field label="To">
          {(wiring) => (
            <Input
              {...wiring}
              type="datetime-local"
              value={toLocal(draft.to)}
              onChange={({ target: { value } }) => setDraft({ ...draft, to: toIso(value) })}
            />
          )}
        </Field>
        <Field label="Request id">
          {(wiring) => (
            <Input
              {...wiring}
              value={draft.request_id}
              onChange={set('request_id')}
              autoComplete="off"
              spellCheck={false}
              className="font-mono text-xs sm:text-xs"
            />
          )}
        </Field>
        <div className="flex gap-2 sm:col-span-full">
          <Button type="submit" tone="primary">
            <Search aria-hidden />
            Search
          </Button>
          {isFiltered && (
            <Button
              tone="quiet"
              onClick={() => {
                setDraft(NO_FILTER);
                onSearch(NO_FILTER);
              }}
            >
              Show everything
            </Button>
          )}
        </div>
      </form>
    </Card>
  );
}

const NO_FILTER: AuditFilter = { actor: '', action: '', object: '', from: '', to: '', request_id: '' };
