export { isChatNotLoaded, loadChatQuery, parseChatReference } from './chat-id.js';
export { pingThroughProxy } from './proxy-test.js';
export { Departure } from './departure.js';
export { authorizationStateOf, TdClient } from './td-client.js';
export { numberMember, objectMember, parseTdObject, stringMember, type TdObject } from './td-object.js';
export { inspectQuery, serializeQuery } from './td-query.js';
export { TelegramEngine } from './telegram-engine.js';
export { CallAbandonedError } from './telegram.errors.js';
