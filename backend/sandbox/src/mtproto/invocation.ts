import type { ClientInfo, TlObject } from '../rpc.js';
import { numberOf, objectOf, stringOf } from '../schema/tl-object.js';

/** A call without its wrappers, and what they said (https://core.telegram.org/api/invoking). */
export interface Invocation {
  readonly query: TlObject;
  readonly layer: number | undefined;
  readonly client: ClientInfo | undefined;
  readonly withoutUpdates: boolean;
}

/** Only these: other methods have a parameter called `query` too. */
const WRAPPERS: ReadonlySet<string> = new Set([
  'invokeWithLayer',
  'initConnection',
  'invokeAfterMsg',
  'invokeAfterMsgs',
  'invokeWithoutUpdates',
  'invokeWithMessagesRange',
  'invokeWithTakeout',
  'invokeWithBusinessConnection',
  'invokeWithGooglePlayIntegrity',
  'invokeWithApnsSecret',
  'invokeWithReCaptcha',
]);

/** Takes all wrappers off. @throws TlFieldError for a wrapper without a call inside */
export function unwrap(outer: TlObject): Invocation {
  let query = outer;
  let layer: number | undefined;
  let client: ClientInfo | undefined;
  let withoutUpdates = false;
  while (WRAPPERS.has(query._)) {
    if (query._ === 'invokeWithLayer') layer = numberOf(query, 'layer');
    else if (query._ === 'initConnection') client = readClient(query);
    else if (query._ === 'invokeWithoutUpdates') withoutUpdates = true;
    query = objectOf(query, 'query');
  }
  return { query, layer, client, withoutUpdates };
}

function readClient(query: TlObject): ClientInfo {
  return {
    apiId: numberOf(query, 'api_id'),
    deviceModel: stringOf(query, 'device_model'),
    systemVersion: stringOf(query, 'system_version'),
    appVersion: stringOf(query, 'app_version'),
    systemLangCode: stringOf(query, 'system_lang_code'),
    langPack: stringOf(query, 'lang_pack'),
    langCode: stringOf(query, 'lang_code'),
  };
}
