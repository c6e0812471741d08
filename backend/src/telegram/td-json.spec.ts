import { ValidationFailedError } from '../common/errors/index.js';
import { requireWholeText, splitMessage, typeOf } from './td-json.js';

describe('requireWholeText', () => {
  it.each(['\ud800', 'a\udfffb', '\ude00\ud83d', '\\\ud800'])('refuses half of a surrogate pair: %j', (text) => {
    expect(() => requireWholeText(JSON.stringify({ text }))).toThrow(ValidationFailedError);
    expect(() => requireWholeText(JSON.stringify({ [text]: 1 }))).toThrow(ValidationFailedError);
  });

  it.each(['😀', '\\ud800', '\\\\ud800', '\u0001', '\\u', 'ud800'])('takes %j', (text) => {
    expect(() => requireWholeText(JSON.stringify({ text }))).not.toThrow();
  });
});

describe('splitMessage', () => {
  it('takes @extra and @client_id off an answer', () => {
    expect(splitMessage('{"@type":"ok","@extra":17,"@client_id":3}')).toEqual({ extra: 17, object: '{"@type":"ok"}' });
  });

  it('knows an update by its missing @extra, also when it ends in a number', () => {
    expect(splitMessage('{"@type":"updateX","n":42,"@client_id":3}')).toEqual({
      extra: undefined,
      object: '{"@type":"updateX","n":42}',
    });
  });

  it('is not fooled by the same words inside a text', () => {
    const text = JSON.stringify(',"@extra":5,"@client_id":6');
    expect(splitMessage(`{"@type":"t","text":${text},"@extra":1,"@client_id":2}`)).toEqual({
      extra: 1,
      object: `{"@type":"t","text":${text}}`,
    });
  });

  it('reads what td_execute answers, which has no client', () => {
    expect(splitMessage('{"@type":"ok"}')).toEqual({ extra: undefined, object: '{"@type":"ok"}' });
  });
});

describe('typeOf', () => {
  it('reads the first member without parsing', () => {
    expect(typeOf('{"@type":"updateOption","name":"x"}')).toBe('updateOption');
  });
});
