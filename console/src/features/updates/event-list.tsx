import { CircleX, LoaderCircle, Pause, Play, Radio, Search, Trash2, WifiOff, type LucideIcon } from 'lucide-react';
import { useState } from 'react';
import { Badge } from '@/components/ui/badge';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { CopyTextButton } from '@/components/ui/copy';
import { Input, Select } from '@/components/ui/field';
import { EmptyState } from '@/components/ui/states';
import type { Tone } from '@/components/ui/tone';
import { objectOf, textOf } from '@/lib/td';
import { formatAbsolute } from '@/lib/time';
import { EventDialog } from './event-dialog';
import type { LoggedEvent } from './event-log';
import type { StreamState } from './event-stream';
import { chatOf, typeOf } from './explain';

const STATES: Record<StreamState, { readonly word: string; readonly tone: Tone; readonly icon: LucideIcon }> = {
  connecting: { word: 'Connecting', tone: 'info', icon: LoaderCircle },
  live: { word: 'Live', tone: 'ok', icon: Radio },
  cut: { word: 'Reconnecting', tone: 'wait', icon: WifiOff },
  ended: { word: 'Ended', tone: 'bad', icon: CircleX },
};
/** Rows that are drawn at once. */
const STEP = 100;

interface EventFilter {
  readonly type: string;
  readonly chat: string;
  readonly text: string;
}

/** True when an event passes what is typed: its type, its chat, and some text anywhere in it. */
export function fits(event: LoggedEvent, { type, chat, text }: EventFilter): boolean {
  if (type !== '' && typeOf(event) !== type) return false;
  if (chat.trim() !== '' && String(chatOf(event) ?? '') !== chat.trim()) return false;
  const words = text.trim().toLowerCase();
  return words === '' || JSON.stringify(event.update).toLowerCase().includes(words);
}

/** The text of a message in an update, for the list. */
function snippetOf({ update }: LoggedEvent): string | undefined {
  const message = objectOf(update, 'message');
  const content = message && objectOf(message, 'content');
  const text = content && (objectOf(content, 'text') ?? objectOf(content, 'caption'));
  return (text && textOf(text, 'text')) ?? (content && textOf(content, '@type'));
}

interface EventListProps {
  title: string;
  description: string;
  events: readonly LoggedEvent[];
  state: StreamState;
  onClear: () => void;
  /** How a session is called, where the list has several. */
  nameOf?: (sessionId: string) => string;
}

/** Events as they come, newest first: to be filtered, searched, paused, copied and looked into. */
export function EventList({ title, description, events, state, onClear, nameOf }: EventListProps) {
  const [paused, setPaused] = useState<readonly LoggedEvent[]>();
  const [filter, setFilter] = useState<EventFilter>({ type: '', chat: '', text: '' });
  const [opened, setOpened] = useState<LoggedEvent>();
  const [limit, setLimit] = useState(STEP);
  const { word, tone, icon } = STATES[state];
  const visible = paused ?? events;
  const missed = paused ? events.filter(({ id }) => !paused.some((event) => event.id === id)).length : 0;
  const found = visible.filter((event) => fits(event, filter));
  const types = [...new Set(visible.map(typeOf))].sort();
  return (
    <Card
      title={title}
      description={description}
      flush
      aside={
        <span role="status">
          <Badge tone={tone} icon={icon} spin={state === 'connecting'}>
            {word}
          </Badge>
        </span>
      }
    >
      <div className="flex flex-wrap items-center gap-2 border-t border-line px-4 py-3 sm:px-5">
        <label className="relative min-w-0 flex-1 basis-48">
          <span className="sr-only">Search in the events</span>
          <Search aria-hidden className="pointer-events-none absolute top-2.5 left-3 size-4 text-ink-3" />
          <Input
            type="search"
            data-page-search
            className="pl-9"
            placeholder="Search in the events"
            value={filter.text}
            onChange={(event) => setFilter({ ...filter, text: event.target.value })}
          />
        </label>
        <Select
          aria-label="Type"
          className="w-52 max-w-full"
          value={filter.type}
          onChange={(event) => setFilter({ ...filter, type: event.target.value })}
        >
          <option value="">Every type</option>
          {types.map((type) => (
            <option key={type} value={type}>
              {type}
            </option>
          ))}
        </Select>
        <Input
          aria-label="Chat id"
          placeholder="Chat id"
          className="w-40"
          value={filter.chat}
          onChange={(event) => setFilter({ ...filter, chat: event.target.value })}
        />
        <Button onClick={() => setPaused(paused ? undefined : events)} aria-pressed={paused !== undefined}>
          {paused ? <Play aria-hidden /> : <Pause aria-hidden />}
          {paused ? `Go on${missed > 0 ? ` (${missed} new)` : ''}` : 'Pause'}
        </Button>
        <CopyTextButton
          text={() =>
            JSON.stringify(
              found.map(({ update }) => update),
              null,
              2,
            )
          }
        >
          Copy these
        </CopyTextButton>
        <Button
          tone="quiet"
          size="icon"
          aria-label="Clear the list"
          title="Clear the list; the server keeps the events"
          onClick={() => {
            setPaused(undefined);
            onClear();
          }}
        >
          <Trash2 aria-hidden />
        </Button>
      </div>
      {found.length === 0 ? (
        <EmptyState icon={Radio} title={visible.length === 0 ? 'Waiting for events' : 'No event fits'}>
          {visible.length === 0
            ? 'They appear here the moment that Telegram sends them.'
            : `None of the ${visible.length} events passes the search and the filters.`}
        </EmptyState>
      ) : (
        <ul aria-label={title} className="divide-y divide-line border-t border-line">
          {found.slice(0, limit).map((event) => (
            <EventRow key={event.id} event={event} name={nameOf?.(event.session.id)} onOpen={() => setOpened(event)} />
          ))}
        </ul>
      )}
      {found.length > limit && (
        <div className="border-t border-line px-4 py-2 sm:px-5">
          <Button size="sm" tone="quiet" onClick={() => setLimit(limit + STEP)}>
            Show more
          </Button>
        </div>
      )}
      {opened && <EventDialog event={opened} onClose={() => setOpened(undefined)} />}
    </Card>
  );
}

const clock = new Intl.DateTimeFormat(undefined, {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  fractionalSecondDigits: 3,
  hourCycle: 'h23',
});

function EventRow({ event, name, onOpen }: { event: LoggedEvent; name: string | undefined; onOpen: () => void }) {
  const at = new Date(event.at);
  const chat = chatOf(event);
  const snippet = snippetOf(event);
  return (
    <li className="relative flex flex-wrap items-baseline gap-x-4 gap-y-0.5 px-4 py-2 text-xs hover:bg-sunken/40 sm:px-5">
      <time dateTime={event.at} title={formatAbsolute(at)} className="tabular text-ink-2">
        {clock.format(at)}
      </time>
      <button
        type="button"
        onClick={onOpen}
        className="min-w-0 truncate font-mono font-medium after:absolute after:inset-0"
      >
        {typeOf(event)}
      </button>
      {name !== undefined && <span className="text-ink-2">{name}</span>}
      {chat !== undefined && <span className="tabular text-ink-2">chat {chat}</span>}
      {snippet !== undefined && <span className="min-w-0 flex-1 basis-40 truncate text-ink-2">{snippet}</span>}
    </li>
  );
}
