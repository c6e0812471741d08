import { Page, RawEnvelope, RawJson, successEnvelope } from './envelope.js';

describe('successEnvelope', () => {
  it.each([
    [{ a: 1 }, '{"ok":true,"result":{"a":1}}'],
    [[], '{"ok":true,"result":[]}'],
    [undefined, '{"ok":true,"result":null}'],
    [new RawJson('{"@type":"ok",  "id":"9"}'), '{"ok":true,"result":{"@type":"ok",  "id":"9"}}'],
    [new RawJson('{}', { sends: [1] }), '{"ok":true,"result":{},"sends":[1]}'],
    [new RawJson('{}', {}), '{"ok":true,"result":{}}'],
    [new RawJson('{}', { absent: undefined }), '{"ok":true,"result":{}}'],
    [new RawEnvelope('anything'), 'anything'],
    [new Page([1], 'c'), '{"ok":true,"result":[1],"next_cursor":"c"}'],
    [new Page([1]), '{"ok":true,"result":[1]}'],
  ])('writes %p as %s', (result, text) => expect(successEnvelope(result)).toBe(text));
});
