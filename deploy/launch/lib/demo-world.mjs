/** The people, the bot and the chats of the demo, made through the sandbox's control API. */

const USER = { phone: '+15550100001', firstName: 'Dana', username: 'demo_user', password: 'correct horse' };
/** Their login is begun and left to whoever tries the demo. */
const NEWCOMER = { phone: '+15550100003', firstName: 'Rosa', username: 'demo_newcomer', code: '24680' };
const FRIEND = { phone: '+15550100002', firstName: 'Felix', username: 'demo_friend' };

const ANSWERS = ['Yes, I am here.', 'Tell me more.', 'I read you.', 'Good to hear from you.'];
const LOOK_EVERY_MS = 300;

/** @param {import('@tgcontrol/sandbox').Control} control */
export function populate(control) {
  const bot = control.createBot({ username: 'demo_bot', firstName: 'Demo bot' });
  const user = { ...USER, ...control.createAccount(USER) };
  const friend = { ...FRIEND, ...control.createAccount(FRIEND) };
  const newcomer = { ...NEWCOMER, ...control.createAccount(NEWCOMER) };
  const people = [user.userId, friend.userId];
  control.createChat({
    type: 'channel',
    title: 'Demo channel',
    username: 'demo_channel',
    members: people,
    admins: [bot.userId],
  });
  control.createChat({ type: 'supergroup', title: 'Demo group', members: [...people, bot.userId] });
  return { bot, user, friend, newcomer, store: populateStore(control, user.userId) };
}

/** Two bots, and the channel that they keep objects in. */
function populateStore(control, ownerId) {
  const bots = [1, 2].map((n) => control.createBot({ username: `demo_store_${n}_bot`, firstName: `Demo store ${n}` }));
  const admins = [ownerId, ...bots.map(({ userId }) => userId)];
  const { chatId } = control.createChat({ type: 'channel', title: 'Demo store', admins });
  return { tokens: bots.map(({ token }) => token), chatId };
}

/**
 * Lets `friend` answer each message that `user` writes to them, until this process ends.
 * @param {import('@tgcontrol/sandbox').Control} control
 */
export function answerAs(friend, user, control) {
  const chat = { chatId: user.userId, account: friend.userId };
  let answered = 0;
  const look = async () => {
    const asked = (await control.messages(chat)).filter((message) => !message.out);
    while (answered < asked.length) {
      const text = ANSWERS[answered++ % ANSWERS.length];
      await control.sendMessage({ from: friend.userId, chatId: user.userId, text });
    }
  };
  let looking = false;
  const timer = setInterval(() => {
    if (looking) return;
    looking = true;
    void look().finally(() => (looking = false));
  }, LOOK_EVERY_MS);
  timer.unref();
}
