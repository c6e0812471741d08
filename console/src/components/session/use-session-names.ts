import { useSessions } from '@/lib/queries';
import { sessionName } from './name';

/** What people call a session of which only the id is known; the begin of the id while the sessions are not there. */
export function useSessionNames(): (id: string) => string {
  const sessions = useSessions();
  return (id) => {
    const session = sessions.data?.find((candidate) => candidate.id === id);
    return session ? sessionName(session) : id.slice(0, 8);
  };
}
