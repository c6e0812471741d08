import { someMethods, someTypes } from '@/test/td-samples';
import type { TdMethod } from '@/lib/types';
import { addParameter, complete, type Suggestion } from './complete';
import { indexTd, methodSkeleton, valueSkeleton } from './schema';
import { closest, validateParams } from './validate';

const index = indexTd(someMethods, someTypes);
function methodNamed(name: string): TdMethod {
  const found = index.methods.get(name);
  if (!found) throw new Error(`no ${name}`);
  return found;
}

/** The text with | at the cursor, as a person would say it. */
function at(marked: string): [text: string, cursor: number] {
  return [marked.replace('|', ''), marked.indexOf('|')];
}
const labels = (method: string, marked: string): string[] =>
  complete(index, methodNamed(method), ...at(marked)).map(({ label }) => label);
function apply(method: string, marked: string, label: string): string {
  const [text, cursor] = at(marked);
  const chosen = complete(index, methodNamed(method), text, cursor).find((suggestion) => suggestion.label === label);
  if (!chosen) throw new Error(`${label} is not suggested`);
  return selected(text, chosen);
}
const selected = (text: string, { from, to, insert, selectFrom, selectTo }: Suggestion): string => {
  const next = text.slice(0, from) + insert + text.slice(to);
  return `${next.slice(0, selectFrom)}<${next.slice(selectFrom, selectTo)}>${next.slice(selectTo)}`;
};

describe('a skeleton', () => {
  const skeleton = (name: string): string => {
    const { text, selectFrom, selectTo } = methodSkeleton(index, methodNamed(name));
    return `${text.slice(0, selectFrom)}<${text.slice(selectFrom, selectTo)}>${text.slice(selectTo)}`;
  };

  it('has what the method needs, and the first value selected', () => {
    expect(skeleton('getOption')).toBe('{\n  "name": "<>"\n}');
    expect(skeleton('getChatHistory')).toBe('{\n  "chat_id": <0>,\n  "limit": 10\n}');
    expect(skeleton('sendMessage')).toBe('{\n  "chat_id": <0>,\n  "input_message_content": {\n    "@type": ""\n  }\n}');
    expect(skeleton('setCommands')).toBe('{\n  "commands": [<>]\n}');
  });

  it('is empty for a method without parameters', () => {
    expect(skeleton('getMe')).toBe('<>');
  });

  it('is JSON for every method and type', () => {
    for (const method of someMethods) {
      const { text } = methodSkeleton(index, method);
      if (text !== '') expect(() => JSON.parse(text) as unknown).not.toThrow();
    }
    for (const type of someTypes) {
      const { text } = valueSkeleton(index, { name: 'x', type: type.name, description: '' }, '');
      expect(() => JSON.parse(text) as unknown).not.toThrow();
    }
  });
});

describe('completion', () => {
  it.each([
    ['{|}', ['chat_id', 'input_message_content', 'reply_to']],
    ['{"|"}', ['chat_id', 'input_message_content', 'reply_to']],
    ['{"con|', ['input_message_content']],
    ['{"chat_id": 1, |}', ['input_message_content', 'reply_to']],
    ['{"chat_id": 1, "input_message_content": {"@type": "|"}}', ['inputMessageText', 'inputMessageDice']],
    ['{"input_message_content": {"@type": "di|"}}', ['inputMessageDice']],
    ['{"input_message_content": {"@type": "inputMessageText", "|"}}', ['text', 'clear_draft']],
    ['{"input_message_content": {"@type": "inputMessageText", "text": {|}}}', ['@type', 'text', 'entities']],
    ['{"input_message_content": {"@type": "inputMessageText", "clear_draft": |}}', ['true', 'false']],
    ['{"input_message_content": |}', ['inputMessageText', 'inputMessageDice']],
  ])('offers at %s what can stand there', (marked, expected) => {
    expect(labels('sendMessage', marked)).toEqual(expected);
  });

  it.each([
    '{"chat_id": 1|}',
    '{"chat_id|": 1} x',
    '|',
    '{"chat_id": "@na|me"}',
    '{"unknown": {"|"}}',
    '{"chat_id": 1 |}',
  ])('stays silent at %s', (marked) => {
    expect(labels('sendMessage', marked).filter((label) => label !== 'chat_id')).toEqual([]);
  });

  it('completes the elements of a list', () => {
    expect(labels('setCommands', '{"commands": [{"|"}]}')).toEqual(['@type', 'command', 'description']);
    expect(labels('setCommands', '{"commands": [|]}')).toEqual(['botCommand']);
  });

  it('writes a name with a value to begin with, and the comma that is missing', () => {
    expect(apply('getChatHistory', '{"lim|"}', 'limit')).toBe('{"limit": <10>}');
    expect(apply('getChatHistory', '{"|" "limit": 1}', 'chat_id')).toBe('{"chat_id": <0>,  "limit": 1}');
    expect(apply('getChatHistory', '{"lim|": 5}', 'limit')).toBe('{"limit"<>: 5}');
  });

  it('writes the needed fields behind a chosen @type', () => {
    expect(apply('sendMessage', '{\n  "input_message_content": {\n    "@type": "|"\n  }\n}', 'inputMessageText')).toBe(
      '{\n  "input_message_content": {\n    "@type": "inputMessageText",\n    "text": {\n      "@type": "formattedText",\n      "text": "<>"\n    }\n  }\n}',
    );
    expect(apply('sendMessage', '{"input_message_content": {"@type": "|", "emoji": "x"}}', 'inputMessageDice')).toBe(
      '{"input_message_content": {"@type": "inputMessageDice"<>, "emoji": "x"}}',
    );
  });

  it('leaves JSON behind, whatever is chosen from it', () => {
    for (const marked of ['{|}', '{"chat_id": 1, |}', '{"input_message_content": |}', '{"input_message_content":|}']) {
      const [text, cursor] = at(marked);
      for (const { from, to, insert } of complete(index, methodNamed('sendMessage'), text, cursor)) {
        expect(() => JSON.parse(text.slice(0, from) + insert + text.slice(to)) as unknown).not.toThrow();
      }
    }
  });

  it('never fails, wherever the cursor stands in a broken text', () => {
    const text = '{"chat_id": , "input_message_content": {"@type": "inputMessageText", "text": {"text": [}, ]"';
    for (let cursor = 0; cursor <= text.length; cursor += 1) {
      expect(() => complete(index, methodNamed('sendMessage'), text, cursor)).not.toThrow();
    }
  });
});

describe('adding a parameter', () => {
  const add = (text: string): string => {
    const [field] = methodNamed('getChatHistory').parameters.filter(({ name }) => name === 'limit');
    if (!field) throw new Error('no field');
    const added = addParameter(index, text, field);
    return `${added.text.slice(0, added.from)}<${added.text.slice(added.from, added.to)}>${added.text.slice(added.to)}`;
  };

  it.each([
    ['', '{\n  "limit": <10>\n}'],
    ['{}', '{\n  "limit": <10>\n}'],
    ['{ "chat_id": 1 }', '{ "chat_id": 1,\n  "limit": <10>\n}'],
    ['{\n  "chat_id": 1\n}', '{\n  "chat_id": 1,\n  "limit": <10>\n}'],
    ['{"limit": 5}', '{"limit": <5>}'],
  ])('to %j', (text, result) => {
    expect(add(text)).toBe(result);
  });
});

describe('validation', () => {
  const first = (method: string, text: string) => validateParams(index, methodNamed(method), text)[0];

  it.each([
    ['getMe', ''],
    ['getChat', '{"chat_id": 5}'],
    ['getChat', '{"chat_id": "-100123"}'],
    ['getChat', '{"chat_id": "@name"}'],
    ['getChat', '{"chat_id": null}'],
    ['setCommands', '{"commands": [{"command": "a", "description": "b"}]}'],
    [
      'sendMessage',
      '{"input_message_content": {"@type": "inputMessageText", "text": {"text": "x"}}, "reply_to": null}',
    ],
  ])('finds nothing wrong with %s %s', (method, text) => {
    expect(validateParams(index, methodNamed(method), text)).toEqual([]);
  });

  it.each([
    ['getChat', '[1]', /one JSON object/],
    ['getChat', '{"chat_id": @name}', /Line 1, column 13: Put “@name” in quotes/],
    ['getOption', '{"name": 5}', /name: this is a text/],
    ['getChatHistory', '{"limit": "ten"}', /limit: this is a number/],
    ['getChatHistory', '{"only_local": "true"}', /only_local: this is true or false/],
    ['setCommands', '{"commands": {}}', /commands: this is a list/],
    ['setCommands', '{"commands": ["a"]}', /commands\[0\]: this is an object/],
    ['sendMessage', '{"input_message_content": {"text": {}}}', /"@type" says which InputMessageContent it is/],
    ['sendMessage', '{"input_message_content": {"@type": "inputMessageTxt"}}', /Did you mean "inputMessageText"/],
    [
      'sendMessage',
      '{"input_message_content": {"@type": "formattedText"}}',
      /"formattedText" is no InputMessageContent/,
    ],
    ['getChat', '{"chat_id": 1, "chat_id": 2}', /"chat_id" is given twice/],
  ])('refuses %s %s', (method, text, words) => {
    expect(first(method, text)).toMatchObject({ severity: 'error', message: expect.stringMatching(words) as unknown });
  });

  it('warns of a parameter that the method does not have, with the one that is meant', () => {
    expect(first('getChat', '{"chatid": 1}')).toMatchObject({
      severity: 'warning',
      message: expect.stringMatching(/has no parameter "chatid".*"chat_id"/) as unknown,
    });
  });

  it('checks only the JSON of a method that is not known', () => {
    expect(validateParams(index, undefined, '{"anything": 1}')).toEqual([]);
    expect(validateParams(index, undefined, '{"anything" 1}')).toHaveLength(1);
  });

  it('finds the name that is meant', () => {
    expect(closest('sendMesage', ['getMe', 'sendMessage'])).toBe('sendMessage');
    expect(closest('xyz', ['getMe', 'sendMessage'])).toBeUndefined();
  });
});
