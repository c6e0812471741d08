/** Sentences for refusals that people meet; Telegram's own word is always shown beside them. */
const REFUSALS: readonly [word: string, sentence: string][] = [
  ['PHONE_CODE_INVALID', 'That is not the code Telegram sent. The login goes on; try again.'],
  ['CODE_INVALID', 'That is not the code Telegram sent. Try again.'],
  ['PHONE_CODE_EMPTY', 'Telegram received an empty code.'],
  ['PHONE_CODE_EXPIRED', 'This code is too old. Send a new one.'],
  ['PASSWORD_HASH_INVALID', 'That is not the password of this account. The login goes on; try again.'],
  ['PASSWORD_RECOVERY_NA', 'This account has no recovery email address, so its password cannot be recovered by mail.'],
  ['PASSWORD_RECOVERY_EXPIRED', 'This recovery code is too old. Have a new one sent.'],
  ['PHONE_NUMBER_INVALID', 'Telegram does not know this as a phone number.'],
  ['PHONE_NUMBER_BANNED', 'Telegram has banned this number.'],
  ['PHONE_NUMBER_FLOOD', 'Too many logins with this number; Telegram makes it wait.'],
  ['PHONE_PASSWORD_FLOOD', 'Too many wrong passwords; Telegram makes this account wait.'],
  ['ACCESS_TOKEN_INVALID', 'Telegram does not know this bot token. Copy it again from @BotFather, whole.'],
  ['ACCESS_TOKEN_EXPIRED', 'This bot token was revoked. @BotFather shows the one that holds now.'],
  ['USER_DEACTIVATED', 'Telegram has deleted or banned this account.'],
  ['AUTH_KEY_DUPLICATED', 'Another program used the same authorization, and Telegram ended it.'],
  ['PEER_FLOOD', 'Telegram limits this account for now because of spam complaints; @SpamBot tells more.'],
  ['FROZEN_', 'Telegram has frozen this account: it can read, but not act.'],
  ['Too Many Requests', 'Too many tries; Telegram makes this account wait.'],
  ['FLOOD_WAIT', 'Too many tries; Telegram makes this account wait.'],
  ['SLOWMODE_WAIT', 'The chat is in slow mode: there is a pause between two messages.'],
  [
    'Chat not found',
    'This session does not know that chat. Give its @name or link, or open the chat with the account first.',
  ],
  ['USERNAME_NOT_OCCUPIED', 'Nobody has this @name.'],
  ['USERNAME_INVALID', 'This cannot be an @name.'],
  ['CHAT_WRITE_FORBIDDEN', 'This account may not write in that chat.'],
  ['USER_IS_BLOCKED', 'That person has blocked this account.'],
  ['BOT_METHOD_INVALID', 'Bots may not do this; a user account may.'],
  ['not available to bots', 'Bots may not do this; a user account may.'],
];

/** What happened in plain words, where we have some, and Telegram's own words. */
export function explainRefusal(message: string): { sentence: string | undefined; words: string } {
  return {
    sentence: REFUSALS.find(([word]) => message.toLowerCase().includes(word.toLowerCase()))?.[1],
    words: message,
  };
}
