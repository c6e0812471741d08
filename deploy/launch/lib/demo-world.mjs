/** The people, the bot and the chats of the demo, made through the sandbox's control API. */

const USER = { phone: '+15550100001', first_name: 'Dana', username: 'demo_user', password: 'correct horse' };
const FRIEND = { phone: '+15550100002', first_name: 'Felix', username: 'demo_friend' };

const ANSWERS = ['Yes, I am here.', 'Tell me more.', 'I read you.', 'Good to hear from you.'];
const LOOK_EVERY_MS = 300;

/**
 * @param {ReturnType<import('./http.mjs').jsonClient>} control
 */
export async function populate(control) {
  const bot = await control.post('/bots', { username: 'demo_bot' });
  const user = { ...USER, ...(await control.post('/accounts', USER)) };
  const friend = { ...FRIEND, ...(await control.post('/accounts', FRIEND)) };
  const channel = await control.post('/chats', {
    type: 'channel',
    title: 'Demo channel',
    username: 'demo_channel',
    members: [user.user_id, friend.user_id],
    admins: [bot.user_id],
  });
  await control.post('/chats', {
    type: 'supergroup',
    title: 'Demo group',
    members: [user.user_id, friend.user_id, bot.user_id],
  });
  await control.post('/messages', { from: friend.user_id, chat_id: user.user_id, text: 'Hi Dana!' });
  return { bot, user, friend, channel };
}

/**
 * Lets `friend` answer each message that `user` writes to them, until this process ends.
 */
export function answerAs(friend, user, control) {
  const answered = new Set();
  const look = async () => {
    const messages = await control.get(`/messages?chat_id=${user.user_id}&account=${friend.user_id}`);
    for (const message of messages) {
      if (message.sender_id !== user.user_id || answered.has(message.message_id)) continue;
      const text = ANSWERS[answered.size % ANSWERS.length];
      answered.add(message.message_id);
      await control.post('/messages', { from: friend.user_id, chat_id: user.user_id, text });
    }
  };
  const again = () => {
    setTimeout(() => {
      look()
        .catch(() => {}) // The sandbox is being stopped, or is busy: the next look tells.
        .finally(again);
    }, LOOK_EVERY_MS).unref();
  };
  again();
}
