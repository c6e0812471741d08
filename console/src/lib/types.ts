import type { components, paths } from './schema';

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
/** A scoped token, without its secret. */
export type Token = Answer<paths['/v1/tokens']['get']>[number];
/** What became of one message, asked for by its ids. */
export type Send = components['schemas']['SendDto'];
/** A message of the list of sends. */
export type SendListItem = components['schemas']['SendListItemDto'];
export type SendStatus = Send['status'];
/** A message beside the result of a call that waited. */
export type CallSend = NonNullable<
  paths['/v1/{kind}/{id}/call']['post']['responses'][200]['content']['application/json']['sends']
>[number];
/** A td_api method. */
export type TdMethod = Answer<paths['/v1/td/methods']['get']>[number];
export type MethodClass = TdMethod['class'];
/** A td_api type: an object with fields, or a class of objects. */
export type TdType = Answer<paths['/v1/td/types']['get']>[number];
/** A parameter of a method, or a field of an object. */
export type TdField = TdMethod['parameters'][number];
/** An upload that the server has. */
export type ServerUpload = Answer<paths['/v1/files']['get']>[number];
/** What everything takes on the disks. */
export type Storage = Answer<paths['/v1/storage']['get']>;
/** Who gets the updates of a session, and how that goes. */
export type Subscription = Answer<paths['/v1/{kind}/{id}/updates/subscriptions/{sub}']['get']>;
export type SubscriptionState = Subscription['state'];
export type UpdateFilters = Subscription['filters'];
/** A delivery in the log of a subscription. */
export type Delivery = Answer<paths['/v1/{kind}/{id}/updates/subscriptions/{sub}/deliveries']['get']>[number];
export type DeliveryStatus = Delivery['status'];
/** One attempt of a delivery. */
export type Attempt = NonNullable<Delivery['last_attempt']>;
/** Whether a call of a token would pass, and why not. */
export type CheckedCall = Answer<paths['/v1/tokens/{id}/check']['post']>;
/** What keeps a session back: cooldowns, its pace, and the rules that bind it. */
export type SessionLimits = Answer<paths['/v1/{kind}/{id}/limits']['get']>;
export type Cooldown = SessionLimits['cooldowns'][number];
export type Lift = NonNullable<SessionLimits['lifts']>[number];
export type Pace = NonNullable<SessionLimits['pace']>;
/** A rule as it is for one session. */
export type SessionLimitRule = SessionLimits['rules'][number];
/** A rule of how much may be done how often. */
export type LimitRule = Answer<paths['/v1/limits']['get']>[number];
/** Something that Telegram found was done too often. */
export type Flood = Answer<paths['/v1/{kind}/{id}/limits/floods']['get']>[number];
export type FloodCount = Answer<paths['/v1/{kind}/{id}/limits/floods/counts']['get']>[number];
/** A pool of bots that store objects. */
export type Pool = Answer<paths['/v1/pools']['get']>[number];
/** What a pool and its bots do at the moment. */
export type PoolStatus = Answer<paths['/v1/pools/{pool}/status']['get']>;
export type PoolBotStatus = PoolStatus['bots'][number];
/** Long work on what a pool keeps. */
export type PoolJob = Answer<paths['/v1/pools/{pool}/jobs']['get']>[number];
/** What a pool keeps under a key. */
export type StoredObject = Answer<paths['/v1/pools/{pool}/objects']['get']>['objects'][number];
/** What became of the messages of something that was deleted. */
export type RemoteState = Answer<paths['/v1/pools/{pool}/objects/{key}']['delete']>['remote'];
/** An access key of S3, without its secret. */
export type AccessKey = Answer<paths['/v1/tokens/{id}/s3-keys']['get']>[number];
/** Something that was changed or refused. */
export type AuditEvent = Answer<paths['/v1/audit']['get']>[number];
