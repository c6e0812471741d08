import { QueryClientProvider } from '@tanstack/react-query';
import { render, type RenderResult } from '@testing-library/react';
import userEvent, { type UserEvent } from '@testing-library/user-event';
import type { ReactElement } from 'react';
import { Toaster } from 'sonner';
import { createQueryClient } from '@/lib/query-client';

// jsdom lays nothing out, but matches every rule of the toasts with every element that is looked at: a quarter of the time.
document.head.replaceChildren();

/** One request as the page sent it. */
export interface SentRequest {
  readonly route: string;
  readonly url: URL;
  readonly headers: Headers;
  readonly text: string;
}

/** Answers by `METHOD /path`; a path is matched exactly, without its query. */
export type Answers = Record<string, (request: SentRequest) => Response | Promise<Response>>;

/** The success envelope. */
export function ok(result: unknown, headers: Record<string, string> = {}): Response {
  return Response.json({ ok: true, result }, { headers: { 'X-Request-Id': 'request-1', ...headers } });
}

/** The failure envelope. */
export function refused(status: number, error: Record<string, unknown>): Response {
  return Response.json(
    { ok: false, error: { source: 'gateway', message: 'refused', ...error } },
    { status, headers: { 'X-Request-Id': 'request-2' } },
  );
}

interface Rendered extends RenderResult {
  readonly user: UserEvent;
  readonly sent: readonly SentRequest[];
}

/** Renders with the API faked at the edge of the page: everything between a click and `fetch` is the real thing. */
export function renderWithApi(element: ReactElement, answers: Answers, address = '/'): Rendered {
  window.history.replaceState(null, '', address);
  const sent: SentRequest[] = [];
  globalThis.fetch = async (input, init) => {
    const request =
      input instanceof Request ? input : new Request(new URL(String(input), window.location.origin), init);
    const url = new URL(request.url);
    const record: SentRequest = {
      route: `${request.method} ${url.pathname}`,
      url,
      headers: request.headers,
      text: await request.text(),
    };
    sent.push(record);
    const answer = answers[record.route];
    return answer
      ? answer(record)
      : refused(404, { code: 'route_not_found', message: `no such route: ${record.route}` });
  };
  const user = userEvent.setup();
  const view = render(
    <QueryClientProvider client={createQueryClient()}>
      {element}
      <Toaster />
    </QueryClientProvider>,
  );
  return { ...view, user, sent };
}
