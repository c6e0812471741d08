'use client';

import { CirclePause, Gauge, Pencil, Play, Plus, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { toast } from 'sonner';
import { Badge } from '@/components/ui/badge';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { MenuItem, RowMenu } from '@/components/ui/menu';
import { Page } from '@/components/ui/page';
import { EmptyState, LoadFailed, LoadingRows } from '@/components/ui/states';
import { $api } from '@/lib/api';
import { ApiError } from '@/lib/api-error';
import { useLimitRules, useRefresh, useSessions, useTokens } from '@/lib/queries';
import type { LimitRule } from '@/lib/types';
import { allowance, methodWords, ruleName } from './limit-words';
import { DeleteRuleDialog, EditRuleDialog, NewRuleDialog } from './rule-dialogs';
import { previewRule } from './rule-preview';
import { targetWords } from './rule-target';
import { RuleUsage } from './rule-usage';

type Asked = { readonly what: 'new' } | { readonly what: 'edit' | 'delete'; readonly rule: LimitRule };

/** The rules of how much may be done how often. */
export function LimitsPage() {
  const rules = useLimitRules();
  const [asked, setAsked] = useState<Asked>();
  const close = (): void => setAsked(undefined);
  const make = (
    <Button tone="primary" onClick={() => setAsked({ what: 'new' })}>
      <Plus aria-hidden />
      Make a rule
    </Button>
  );
  return (
    <Page title="Limits" description="How much sessions and tokens may do, and in what time." actions={make}>
      <Card flush>
        {rules.isPending ? (
          <LoadingRows what="rules" rows={2} />
        ) : rules.isLoadingError ? (
          <LoadFailed what="rules" error={rules.error} onRetry={rules.refetch} />
        ) : rules.data.length === 0 ? (
          <EmptyState icon={Gauge} title="No rules yet" action={make}>
            A program that does too much can cost an account. A rule refuses here what goes beyond, before Telegram
            notices. Cooldowns and the pace of user accounts work without any.
          </EmptyState>
        ) : (
          <ul className="divide-y divide-line">
            {rules.data.map((rule) => (
              <RuleRow key={rule.id} rule={rule} rules={rules.data} onAsk={(what) => setAsked({ what, rule })} />
            ))}
          </ul>
        )}
      </Card>
      {asked?.what === 'new' && <NewRuleDialog onClose={close} />}
      {asked?.what === 'edit' && <EditRuleDialog rule={asked.rule} onClose={close} />}
      {asked?.what === 'delete' && <DeleteRuleDialog rule={asked.rule} onClose={close} />}
    </Page>
  );
}

interface RuleRowProps {
  rule: LimitRule;
  rules: readonly LimitRule[];
  onAsk: (what: 'edit' | 'delete') => void;
}

function RuleRow({ rule, rules, onAsk }: RuleRowProps) {
  const refresh = useRefresh();
  const sessions = useSessions().data ?? [];
  const tokens = useTokens().data ?? [];
  const update = $api.useMutation('patch', '/v1/limits/{id}');
  const name = ruleName(rule);
  const { bound, replaces } = previewRule(rule, rules, sessions, tokens);
  const toggle = (): void =>
    update.mutate(
      { params: { path: { id: rule.id } }, body: { enabled: !rule.enabled } },
      {
        onSuccess: () => {
          void refresh.limits();
          toast.success(rule.enabled ? `${name} is off.` : `${name} is on.`);
        },
        onError: (thrown) => toast.error(`${name} was not changed. ${ApiError.from(thrown).message}`),
      },
    );
  return (
    <li className="flex items-start gap-4 px-4 py-3.5 sm:px-5">
      <div className="min-w-0 flex-1">
        <p className="flex flex-wrap items-center gap-x-2.5 gap-y-1 text-sm font-semibold">
          <span className="min-w-0 break-words">{name}</span>
          {!rule.enabled && (
            <Badge tone="idle" icon={CirclePause}>
              Off
            </Badge>
          )}
        </p>
        <p className="mt-0.5 text-xs text-ink-2">
          {targetWords(rule, sessions, tokens)}: {methodWords(rule.methods)}, {allowance(rule)}
          {rule.timezone !== undefined && ` (${rule.timezone})`}
        </p>
        <p className="mt-0.5 text-xs text-ink-3">
          binds {bound.length === 1 ? '1 session' : `${bound.length} sessions`}
          {replaces.length > 0 && `, in the place of ${replaces.map((other) => `“${ruleName(other)}”`).join(', ')}`}
        </p>
        {rule.enabled && (
          <div className="mt-2 max-w-xl">
            <RuleUsage rule={rule} />
            {bound.length > 1 && <p className="text-xs text-ink-3">by the session that has used most</p>}
          </div>
        )}
      </div>
      <Button
        size="sm"
        pending={update.isPending}
        onClick={toggle}
        aria-label={`Switch ${rule.enabled ? 'off' : 'on'} ${name}`}
      >
        {!update.isPending && (rule.enabled ? <CirclePause aria-hidden /> : <Play aria-hidden />)}
        <span className="hidden sm:inline">{rule.enabled ? 'Switch off' : 'Switch on'}</span>
      </Button>
      <RowMenu label={`Actions for ${name}`}>
        <MenuItem icon={Pencil} onSelect={() => onAsk('edit')}>
          Edit
        </MenuItem>
        <MenuItem icon={Trash2} danger onSelect={() => onAsk('delete')}>
          Delete
        </MenuItem>
      </RowMenu>
    </li>
  );
}
