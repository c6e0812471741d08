import type { TdClient } from './td-client.js';

const OPTION = 'use_pfs';
const OPTION_TIMEOUT_MS = 5_000;

/**
 * Whether Telegram answers a small question.
 * @throws DeadlineError, TdlibError when it does not
 */
export async function testConnection(client: TdClient, timeoutMs: number): Promise<void> {
  await client.request({ '@type': 'testNetwork' }, { timeoutMs });
}

/**
 * Makes TDLib open its MTProto sessions anew, without closing the client: it then asks Telegram for everything that it has
 * missed. td_api has no method for that. A new network type only opens connections anew, for the sessions that there are; another
 * value of the option `use_pfs` makes new sessions (SessionMultiProxy::update_options), after which the server says
 * new_session_created and TDLib asks for the difference. The option is put back afterwards. What is in flight would be sent a
 * second time, so nothing should be.
 * @param settled settles when the answer has had its time
 * @throws DeadlineError, TdlibError, ClientClosedError
 */
export async function renewConnection(client: TdClient, settled: () => Promise<void>): Promise<void> {
  const { value } = await client.request({ '@type': 'getOption', name: OPTION }, { timeoutMs: OPTION_TIMEOUT_MS });
  for (const type of ['networkTypeNone', 'networkTypeOther']) {
    await client.request({ '@type': 'setNetworkType', type: { '@type': type } }, { timeoutMs: OPTION_TIMEOUT_MS });
  }
  await setOption(client, value !== true);
  try {
    await settled();
  } finally {
    await setOption(client, value === true);
  }
  // That was another reconnect, which may bring something too.
  await settled();
}

async function setOption(client: TdClient, isOn: boolean): Promise<void> {
  const value = isOn ? { '@type': 'optionValueBoolean', value: true } : { '@type': 'optionValueEmpty' };
  await client.request({ '@type': 'setOption', name: OPTION, value }, { timeoutMs: OPTION_TIMEOUT_MS });
}
