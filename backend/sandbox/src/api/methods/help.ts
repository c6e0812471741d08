import type { RpcContext } from '../../rpc.js';
import type { TlObject } from '../../schema/tl-object.js';
import { numberOf } from '../../schema/tl-object.js';
import type { Account } from '../../world/accounts.js';
import type { Call, Methods } from '../call.js';

/** Seconds after which a client asks for the configuration again. */
const CONFIG_LIFETIME = 3600;
const PROMO_LIFETIME = 3600;

/** https://core.telegram.org/method/help.getConfig */
export const helpMethods: Methods = {
  'help.getConfig': (call) => configOf(call),
  'help.getNearestDc': ({ context }) => ({
    _: 'nearestDc',
    country: 'NL',
    this_dc: context.dc,
    nearest_dc: context.dc,
  }),
  'help.getAppConfig': (call, query) => appConfigOf(call, query),
  'help.getPromoData': ({ world }) => ({ _: 'help.promoDataEmpty', expires: world.clock.seconds() + PROMO_LIFETIME }),
  'help.getTermsOfServiceUpdate': ({ world }) => ({
    _: 'help.termsOfServiceUpdateEmpty',
    expires: world.clock.seconds() + PROMO_LIFETIME,
  }),
  'help.getPeerColors': () => ({ _: 'help.peerColorsNotModified' }),
  'help.getPeerProfileColors': () => ({ _: 'help.peerColorsNotModified' }),
  'help.getCountriesList': () => ({ _: 'help.countriesList', countries: [], hash: 0 }),
  'help.acceptTermsOfService': () => true,
  'help.saveAppLog': () => true,
};

/** The values are those of the production servers where a client acts on them, and plain ones elsewhere. */
function configOf({ world, context }: Call): TlObject {
  const date = world.clock.seconds();
  return {
    _: 'config',
    date,
    expires: date + CONFIG_LIFETIME,
    test_mode: context.testMode,
    this_dc: context.dc,
    // Empty, so that a client can only come through the proxy or the address it already has.
    dc_options: [],
    dc_txt_domain_name: 'sandbox.invalid',
    chat_size_max: 200,
    megagroup_size_max: 200_000,
    forwarded_count_max: 100,
    online_update_period_ms: 210_000,
    offline_blur_timeout_ms: 5_000,
    offline_idle_timeout_ms: 30_000,
    online_cloud_timeout_ms: 300_000,
    notify_cloud_delay_ms: 30_000,
    notify_default_delay_ms: 1_500,
    push_chat_period_ms: 60_000,
    push_chat_limit: 2,
    edit_time_limit: 172_800,
    revoke_time_limit: 2_147_483_647,
    revoke_pm_time_limit: 2_147_483_647,
    rating_e_decay: 2_419_200,
    stickers_recent_limit: 200,
    channels_read_media_period: 604_800,
    call_receive_timeout_ms: 20_000,
    call_ring_timeout_ms: 90_000,
    call_connect_timeout_ms: 30_000,
    call_packet_timeout_ms: 10_000,
    me_url_prefix: 'https://t.me/',
    caption_length_max: 1_024,
    message_length_max: 4_096,
    webfile_dc_id: context.dc,
  };
}

function appConfigOf(call: Call, query: TlObject): TlObject {
  const values = appConfigValues(call.context, ownerOf(call));
  const hash = hashOf(values);
  if (numberOf(query, 'hash') === hash) return { _: 'help.appConfigNotModified' };
  const value = Object.entries(values).map(([key, entry]) => ({ _: 'jsonObjectValue', key, value: jsonOf(entry) }));
  return { _: 'help.appConfig', hash, config: { _: 'jsonObject', value } };
}

function ownerOf({ world, context }: Call): Account | undefined {
  return context.key.ownerId === undefined ? undefined : world.accounts.find(context.key.ownerId);
}

/** The three `freeze_…` keys are there while the account is frozen; clients take their absence for thawed. */
function appConfigValues(
  { testMode }: RpcContext,
  account: Account | undefined,
): Record<string, number | string | boolean> {
  const freeze = account?.freeze;
  return {
    test: testMode,
    ...(freeze && {
      freeze_since_date: freeze.since,
      freeze_until_date: freeze.until,
      freeze_appeal_url: freeze.appealUrl,
    }),
  };
}

function jsonOf(value: number | string | boolean): TlObject {
  if (typeof value === 'number') return { _: 'jsonNumber', value };
  return typeof value === 'string' ? { _: 'jsonString', value } : { _: 'jsonBool', value };
}

/** Any number that changes with the contents serves; 0 means "nothing known yet". */
function hashOf(values: Record<string, unknown>): number {
  let hash = 17;
  for (const character of JSON.stringify(values)) hash = (hash * 31 + (character.codePointAt(0) ?? 0)) | 0;
  return hash === 0 ? 1 : hash;
}
