import { sessionName } from '@/components/session/name';
import type { LimitRule, SessionSummary, Token } from '@/lib/types';

/** How a token is called, in a list of rules. */
const nameOf = (token: Token): string => (token.name !== undefined && token.name !== '' ? token.name : token.prefix);

/** Whom a rule is for, in words. */
export function targetWords(
  rule: Pick<LimitRule, 'kind' | 'session_id' | 'token_id'>,
  sessions: readonly SessionSummary[],
  tokens: readonly Token[],
): string {
  if (rule.kind !== undefined) return rule.kind === 'bot' ? 'Every bot' : 'Every user account';
  if (rule.token_id !== undefined) {
    const token = tokens.find(({ id }) => id === rule.token_id);
    return `Calls of the token ${token ? nameOf(token) : rule.token_id.slice(0, 8)}`;
  }
  const session = sessions.find(({ id }) => id === rule.session_id);
  return `The session ${session ? sessionName(session) : (rule.session_id ?? '').slice(0, 8)}`;
}
