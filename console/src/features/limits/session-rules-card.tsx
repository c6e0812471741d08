import { CirclePause, Replace } from 'lucide-react';
import Link from 'next/link';
import { Badge } from '@/components/ui/badge';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import type { SessionLimitRule } from '@/lib/types';
import { allowance, methodWords, ruleName } from './limit-words';
import { RuleUsage } from './rule-usage';

/** The rules that are about a session, how much of each it has used, and which stand in the place of others. */
export function SessionRulesCard({ rules }: { rules: readonly SessionLimitRule[] }) {
  return (
    <Card
      title="Rules"
      description="How much this session may do, whoever asks. A rule of a token binds that token’s calls alone."
      flush
      aside={
        <Button asChild size="sm">
          <Link href="/limits/">All rules</Link>
        </Button>
      }
    >
      {rules.length === 0 ? (
        <p className="border-t border-line px-4 py-4 text-sm text-ink-2 sm:px-5">No rule is about this session.</p>
      ) : (
        <ul aria-label="Rules" className="divide-y divide-line border-t border-line">
          {rules.map((rule) => (
            <RuleRow key={rule.id} rule={rule} closer={rules.find(({ id }) => id === rule.replaced_by)} />
          ))}
        </ul>
      )}
    </Card>
  );
}

/** @param props.closer the rule that stands in its place */
function RuleRow({ rule, closer }: { rule: SessionLimitRule; closer: SessionLimitRule | undefined }) {
  const counts = rule.enabled && rule.replaced_by === undefined;
  return (
    <li className="px-4 py-3.5 sm:px-5">
      <p className="flex flex-wrap items-center gap-x-2.5 gap-y-1 text-sm font-semibold">
        {ruleName(rule)}
        {!rule.enabled && (
          <Badge tone="idle" icon={CirclePause}>
            Off
          </Badge>
        )}
        {rule.replaced_by !== undefined && (
          <Badge tone="idle" icon={Replace}>
            Replaced
          </Badge>
        )}
      </p>
      <p className="mt-0.5 text-xs text-ink-2">
        {methodWords(rule.methods)}: {allowance(rule)}
        {rule.timezone !== undefined && ` (${rule.timezone})`}
        {rule.token_id !== undefined
          ? ', by a token'
          : rule.kind !== undefined && `, as every ${rule.kind === 'bot' ? 'bot' : 'user account'}`}
      </p>
      {rule.replaced_by !== undefined && (
        <p className="mt-0.5 text-xs text-ink-2">
          {closer ? `“${ruleName(closer)}” stands in its place.` : 'A closer rule stands in its place.'}
        </p>
      )}
      {counts && (
        <div className="mt-2">
          <RuleUsage rule={rule} />
        </div>
      )}
    </li>
  );
}
