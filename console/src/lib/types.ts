import type { paths } from './schema';

type Answer<Operation> = Operation extends { responses: { 200: { content: { 'application/json': infer Body } } } }
  ? Body extends { result: infer Result }
    ? Result
    : never
  : never;

/** One row of the sessions list. */
export type SessionSummary = Answer<paths['/v1/sessions']['get']>[number];
/** One session as its owner sees it now. */
export type SessionDetails = Answer<paths['/v1/{kind}/{id}']['get']>;
export type SessionKind = SessionSummary['kind'];
export type SessionStatus = SessionSummary['status'];
export type Health = SessionSummary['health'];
/** What the login routes answer. */
export type LoginState = Answer<paths['/v1/user']['post']>;
/** td_api's authenticationCodeInfo, with the absolute time of the next allowed resend as `resend_at`. */
export type CodeInfo = NonNullable<LoginState['code_info']>;
export type App = Answer<paths['/v1/apps']['get']>[number];
export type Proxy = Answer<paths['/v1/proxies']['get']>[number];
export type ProxyType = Proxy['type'];
export type Worker = Answer<paths['/v1/workers']['get']>[number];
