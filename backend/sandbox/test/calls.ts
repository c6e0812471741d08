import type { TdObject } from './driver.js';

/** A td_api request of bots that becomes exactly one call, `bots.setBotCommands`. */
export const SET_COMMANDS: TdObject = {
  '@type': 'setCommands',
  commands: [{ '@type': 'botCommand', command: 'start', description: 'Begin' }],
};

/** A td_api request of bots that becomes `bots.getBotCommands` and is not answered from TDLib's memory. */
export const GET_COMMANDS: TdObject = { '@type': 'getCommands' };

/** An answer to `GET_COMMANDS` of about `kib` KiB. */
export function manyCommands(kib: number): { readonly _: string; command: string; description: string }[] {
  return Array.from({ length: kib * 4 }, (_unused, index) => ({
    _: 'botCommand',
    command: `command_${index}`,
    description: 'x'.repeat(228),
  }));
}
