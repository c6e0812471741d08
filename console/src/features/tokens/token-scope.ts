import { sessionName } from '@/components/session/name';
import type { App, SessionSummary, Token } from '@/lib/types';

/** How a token is called: its label, else its first characters. */
export function tokenName(token: Pick<Token, 'name' | 'prefix'>): string {
  return token.name !== undefined && token.name !== '' ? token.name : `${token.prefix}…`;
}

const NAMED = 2;

function listed(names: readonly string[]): string {
  const rest = names.length - NAMED;
  return rest > 0 ? `${names.slice(0, NAMED).join(', ')} and ${rest} more` : names.join(', ');
}

const appTitle = (app: App): string =>
  app.label !== undefined && app.label !== '' ? app.label : `api_id ${app.api_id}`;

/** What a token reaches, in words: "all sessions", "sessions of acme; support-bot". */
export function describeScope(
  token: Pick<Token, 'all_sessions' | 'app_ids' | 'session_ids'>,
  apps: readonly App[],
  sessions: readonly SessionSummary[],
): string {
  if (token.all_sessions) return 'All sessions';
  const appNames = token.app_ids.map((id) => {
    const app = apps.find((candidate) => candidate.id === id);
    return app ? appTitle(app) : id.slice(0, 8);
  });
  const sessionNames = token.session_ids.map((id) => {
    const session = sessions.find((candidate) => candidate.id === id);
    return session ? sessionName(session) : id.slice(0, 8);
  });
  const parts = [
    ...(appNames.length > 0 ? [`Sessions of ${listed(appNames)}`] : []),
    ...(sessionNames.length > 0 ? [listed(sessionNames)] : []),
  ];
  return parts.length > 0 ? parts.join('; ') : 'Nothing';
}
