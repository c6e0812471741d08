import { readTdSchema, type TdSchema } from './td-schema.js';

describe('the td_api schema of the build', () => {
  let schema: TdSchema;

  beforeAll(async () => {
    schema = await readTdSchema();
  });

  const method = (name: string): TdSchema['methods'][number] | undefined =>
    schema.methods.find((candidate) => candidate.name === name);

  it('describes a method with its parameters', () => {
    expect(method('getTextEntities')).toEqual({
      name: 'getTextEntities',
      class: 'read',
      reserved: false,
      description: expect.stringMatching(/^Returns all entities .* found in the text\./),
      parameters: [{ name: 'text', type: 'string', description: expect.any(String) }],
      returns: 'TextEntities',
      synchronous: true,
      bots_only: false,
    });
  });

  it('tells what only bots may call, what is reserved, and what is not synchronous', () => {
    expect(method('answerCallbackQuery')).toMatchObject({ bots_only: true, class: 'send', synchronous: false });
    expect(method('sendMessage')).toMatchObject({ bots_only: false, reserved: false });
    expect(method('logOut')).toMatchObject({ reserved: true, class: 'account' });
  });

  it('has the words of td_api for types', () => {
    expect(method('answerCallbackQuery')?.parameters[0]).toMatchObject({ name: 'callback_query_id', type: 'int64' });
    const rows = schema.types.find(({ name }) => name === 'replyMarkupInlineKeyboard')?.fields?.[0];
    expect(rows).toMatchObject({ name: 'rows', type: 'vector<vector<inlineKeyboardButton>>' });
    expect(schema.types.find(({ name }) => name === 'MessageSender')).toEqual({
      name: 'MessageSender',
      description: 'Contains information about the sender of a message',
      one_of: ['messageSenderUser', 'messageSenderChat'],
    });
  });

  it('has every type that something of it refers to, also those that are only sent', () => {
    const known = new Set(['string', 'number', 'boolean', 'int64', ...schema.types.map(({ name }) => name)]);
    const fields = [
      ...schema.methods.flatMap(({ parameters }) => parameters),
      ...schema.types.flatMap(({ fields: own }) => own ?? []),
    ];
    const used = [
      ...fields.map(({ type }) => type),
      ...schema.methods.map(({ returns }) => returns),
      ...schema.types.flatMap(({ one_of }) => one_of ?? []),
    ].map((type) => type.replace(/^(vector<)*|>*$/g, ''));
    expect([...new Set(used)].filter((type) => !known.has(type))).toEqual([]);
    expect(known.has('messageSendOptions')).toBe(true);
  });

  it('describes every method in one line of text', () => {
    expect(
      schema.methods.filter(({ description }) => !/^\S.*\S$/.test(description) || /\s\s/.test(description)),
    ).toEqual([]);
  });
});
