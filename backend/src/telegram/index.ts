export { isChatNotLoaded, loadChatQuery, parseChatReference, type ChatReference } from './chat-id.js';
export { pingThroughProxy } from './proxy-test.js';
export { Departure } from './departure.js';
export { toTdProxy } from './proxy.js';
export { isReservedMethod } from './reserved-methods.js';
export {
  authorizationStateOf,
  type InvokeOptions,
  TdClient,
  type TdClientOptions,
  type UpdateHandler,
} from './td-client.js';
export { numberMember, objectMember, parseTdObject, stringMember, type TdObject } from './td-object.js';
export { type InspectedQuery, inspectQuery, serializeQuery } from './td-query.js';
export { type OpenOptions, TelegramEngine, type TelegramEngineSettings } from './telegram-engine.js';
export { CallAbandonedError, ClientClosedError, TooManyCallsError } from './telegram.errors.js';
