/** The words of a text, each once, in order; commas part them as spaces do. */
export const words = (text: string): string[] => [...new Set(text.split(/[\s,]+/).filter((word) => word !== ''))];

/** Chat ids as typed; `problem` says what is none. */
export function readChatIds(text: string): { readonly chats: number[]; readonly problem?: string } {
  const chats = words(text);
  const wrong = chats.find((chat) => !/^-?\d{1,16}$/.test(chat) || !Number.isSafeInteger(Number(chat)));
  return {
    chats: chats.map(Number),
    ...(wrong === undefined ? {} : { problem: `${wrong} is no chat id: a number such as -1001234567890 is needed.` }),
  };
}
