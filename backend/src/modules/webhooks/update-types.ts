import { readTdSchema } from '../../telegram/index.js';

/** The events that the product makes itself. */
export const SYSTEM_TYPES = {
  status: 'tgcontrol.session.status',
  health: 'tgcontrol.session.health',
  limit: 'tgcontrol.limit',
  disabled: 'tgcontrol.subscription.disabled',
  poolBot: 'tgcontrol.pool.bot',
  poolStatus: 'tgcontrol.pool.status',
  test: 'tgcontrol.test',
} as const;

let known: Promise<ReadonlySet<string>> | undefined;

async function readTypes(): Promise<ReadonlySet<string>> {
  const { types } = await readTdSchema();
  const updates = types.map(({ name }) => name).filter((name) => name.startsWith('update'));
  return new Set([...updates, ...Object.values(SYSTEM_TYPES)]);
}

/** Of these names, those that no update has. */
export async function unknownTypes(names: readonly string[]): Promise<readonly string[]> {
  if (names.length === 0) return [];
  known ??= readTypes();
  const types = await known;
  return [...new Set(names)].filter((name) => !types.has(name));
}
