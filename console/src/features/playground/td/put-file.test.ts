import { someMethods, someTypes } from '@/test/td-samples';
import type { TdMethod } from '@/lib/types';
import { putFile } from './put-file';
import { indexTd } from './schema';

const field = (name: string, type: string) => ({ name, type, description: '' });
const index = indexTd(someMethods, [
  ...someTypes,
  { name: 'InputFile', description: '', one_of: ['inputFileId', 'inputFileLocal'] },
  { name: 'inputFileLocal', description: '', fields: [field('path', 'string')] },
  { name: 'inputMessageDocument', description: '', fields: [field('document', 'InputFile')] },
  { name: 'inputMessageAlbum', description: '', fields: [field('files', 'vector<InputFile>')] },
]);
const method = (name: string): TdMethod => {
  const found = index.methods.get(name);
  if (!found) throw new Error(`no ${name}`);
  return found;
};
const put = (text: string, name = 'a.pdf'): unknown => {
  const next = putFile(index, method('sendMessage'), text, { name, path: `/u/${name}` });
  return next && JSON.parse(next.text);
};
const local = { '@type': 'inputFileLocal', path: '/u/a.pdf' };

it('fills the place where a file is expected', () => {
  const content = '{"@type": "inputMessageDocument", "document": {"@type": ""}}';
  expect(put(`{"chat_id": 1, "input_message_content": ${content}}`)).toEqual({
    chat_id: 1,
    input_message_content: { '@type': 'inputMessageDocument', document: local },
  });
});

it('fills the first free place of several', () => {
  const files = '[{"@type": "inputFileLocal", "path": "/u/first"}, {"@type": "inputFileLocal", "path": ""}]';
  expect(put(`{"input_message_content": {"@type": "inputMessageAlbum", "files": ${files}}}`)).toMatchObject({
    input_message_content: { files: [{ path: '/u/first' }, local] },
  });
});

it.each([
  ['a.pdf', { '@type': 'inputMessageDocument', document: { path: '/u/a.pdf' } }],
  ['a.JPG', { '@type': 'inputMessagePhoto', photo: { path: '/u/a.JPG' } }],
  ['a.mp4', { '@type': 'inputMessageVideo', video: { path: '/u/a.mp4' } }],
])('makes a message of %s where none was chosen yet', (name, content) => {
  expect(put('{"chat_id": 1, "input_message_content": {"@type": ""}}', name)).toMatchObject({
    chat_id: 1,
    input_message_content: content,
  });
  expect(put('', name)).toMatchObject({ input_message_content: content });
});

it('says so when the method takes no file', () => {
  expect(putFile(index, method('getMe'), '{}', { name: 'a', path: '/a' })).toBeUndefined();
});
