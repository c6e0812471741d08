/** A call that somebody is writing. */
export interface CallDraft {
  readonly sessionId: string;
  readonly method: string;
  readonly paramsText: string;
}

/** Lives as long as the page: what is typed may be private, so it is kept nowhere else. */
let draft: CallDraft | undefined;

/** Leaves a call for the page that goes on with it. */
export function leaveDraft(next: CallDraft): void {
  draft = next;
}

/** What was left for this session; with a method, only when it is that method's. */
export function findDraft(sessionId: string, method: string | null): CallDraft | undefined {
  if (draft?.sessionId !== sessionId) return undefined;
  return method === null || method === draft.method ? draft : undefined;
}
