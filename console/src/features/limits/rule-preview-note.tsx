import { ArrowDownToLine, ArrowUpToLine, CopyX, Users } from 'lucide-react';
import type { ReactNode } from 'react';
import { sessionName } from '@/components/session/name';
import { useLimitRules, useSessions, useTokens } from '@/lib/queries';
import type { SessionSummary } from '@/lib/types';
import { ruleName } from './limit-words';
import { previewRule, type RuleDraft } from './rule-preview';
import { targetWords } from './rule-target';

const NAMED = 4;

function named(sessions: readonly SessionSummary[]): string {
  const names = sessions.slice(0, NAMED).map(sessionName).join(', ');
  const rest = sessions.length - NAMED;
  return rest > 0 ? `${names} and ${rest} more` : names;
}

/** Whom a rule binds as it stands, and what stands in whose place. */
export function RulePreviewNote({ draft }: { draft: RuleDraft }) {
  const rules = useLimitRules();
  const sessions = useSessions();
  const tokens = useTokens();
  if (!rules.data || !sessions.data || !tokens.data) {
    return <p className="rounded-lg bg-sunken px-3.5 py-3 text-xs text-ink-2">Looking at whom it binds…</p>;
  }
  const { bound, exempt, replaces, yieldsTo, twin } = previewRule(draft, rules.data, sessions.data, tokens.data);
  const words = (rule: RuleDraft & Parameters<typeof ruleName>[0]): string =>
    `“${ruleName(rule)}” (${targetWords(rule, sessions.data, tokens.data)})`;
  return (
    <div role="status" aria-label="What the rule does" className="rounded-lg bg-sunken px-3.5 py-3 text-xs">
      <ul className="flex flex-col gap-2">
        {twin && (
          <Line icon={CopyX} bad>
            There is such a rule already: {words(twin)}. Change that one.
          </Line>
        )}
        <Line icon={Users}>
          {!draft.enabled
            ? 'It is off, so it binds nobody.'
            : bound.length === 0
              ? 'It binds no session that there is now.'
              : `Binds ${bound.length === 1 ? '1 session' : `${bound.length} sessions, each with a count of its own`}: ${named(bound)}.`}
          {draft.token_id !== undefined && ' Only the calls of this token count.'}
        </Line>
        {exempt.length > 0 && <Line icon={Users}>Not {named(exempt)}, which have a rule of their own.</Line>}
        {replaces.map((rule) => (
          <Line key={rule.id} icon={ArrowUpToLine}>
            Stands in the place of {words(rule)}.
          </Line>
        ))}
        {yieldsTo.map((rule) => (
          <Line key={rule.id} icon={ArrowDownToLine}>
            Gives way to {words(rule)}.
          </Line>
        ))}
      </ul>
    </div>
  );
}

function Line({ icon: Icon, bad = false, children }: { icon: typeof Users; bad?: boolean; children: ReactNode }) {
  return (
    <li className={bad ? 'flex gap-2 text-bad' : 'flex gap-2 text-ink-2'}>
      <Icon aria-hidden className="size-4 shrink-0" />
      <span className="min-w-0 break-words">{children}</span>
    </li>
  );
}
