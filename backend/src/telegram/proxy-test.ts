import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ProxySettings } from '../config/index.js';
import { toTdProxy } from './proxy.js';
import { numberMember } from './td-object.js';
import type { TelegramEngine } from './telegram-engine.js';

/**
 * How long Telegram's server takes to answer through a proxy, in seconds, by TDLib's pingProxy. It runs in a client of its
 * own that is never logged in and that uses the proxy for everything else too, so that nothing goes around it.
 * @throws TdlibError TDLib's reason why there was no answer
 * @throws DeadlineError when TDLib came to no verdict in time
 */
export async function pingThroughProxy(
  engine: TelegramEngine,
  proxy: ProxySettings,
  { testDc, timeoutMs }: { readonly testDc: boolean; readonly timeoutMs: number },
): Promise<number> {
  const directory = await mkdtemp(join(tmpdir(), 'tgcontrol-proxy-test-'));
  try {
    const client = await engine.open({
      onUpdate: () => undefined,
      proxy,
      maxCallsInFlight: 1,
      parameters: {
        use_test_dc: testDc,
        database_directory: directory,
        files_directory: directory,
        database_encryption_key: '',
        use_file_database: false,
        use_chat_info_database: false,
        use_message_database: false,
        use_secret_chats: false,
        // Nobody logs in: TDLib only checks that they are there.
        api_id: 1,
        api_hash: '0',
        system_language_code: 'en',
        device_model: 'tgcontrol',
        system_version: '1',
        application_version: '0.1',
      },
    });
    try {
      await client.start();
      return numberMember(
        await client.request({ '@type': 'pingProxy', proxy: toTdProxy(proxy) }, { timeoutMs }),
        'seconds',
      );
    } finally {
      await client.close();
    }
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}
