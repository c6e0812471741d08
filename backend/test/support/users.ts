import type { ApiClient, TestTelegram } from './telegram.js';

/** Logs a new user account in. @returns its path in the API and its Telegram id */
export async function loginUser(
  api: ApiClient,
  telegram: TestTelegram,
  appId: string,
  phone: string,
): Promise<{ readonly path: string; readonly id: string; readonly userId: number }> {
  const { userId } = telegram.control.createAccount({ phone, firstName: 'A' });
  const { id } = await api.must(api.post('/v1/user', { app_id: appId, phone }));
  await api.must(api.post(`/v1/user/${id}/login/code`, { code: telegram.control.newestCode(phone) }));
  return { path: `/v1/user/${id}`, id, userId };
}
