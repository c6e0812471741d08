import { withFoundEntities } from './entities.js';

const found = (text: string): string[] =>
  withFoundEntities(text, []).map(
    (entity) =>
      `${entity._} ${text.slice(Number(entity['offset']), Number(entity['offset']) + Number(entity['length']))}`,
  );

describe('entities that the server finds', () => {
  it('marks commands, mentions, hashtags, links and addresses', () => {
    expect(found('/start@bot see https://a.example/x?y, ask @someone or me@x.org #tag')).toEqual([
      'messageEntityBotCommand /start@bot',
      'messageEntityUrl https://a.example/x?y',
      'messageEntityMention @someone',
      'messageEntityEmail me@x.org',
      'messageEntityHashtag #tag',
    ]);
  });

  it('marks nothing inside words and paths', () => {
    expect(found('a/b/c and/or x#y')).toEqual([]);
  });

  it('keeps what the sender marked and does not mark it again', () => {
    const bold = { _: 'messageEntityBold', offset: 0, length: 6 };
    expect(withFoundEntities('/start', [bold])).toEqual([bold]);
  });

  it('counts in UTF-16 units, as Telegram does', () => {
    expect(withFoundEntities('😀 /go', [])).toEqual([{ _: 'messageEntityBotCommand', offset: 3, length: 3 }]);
  });
});
