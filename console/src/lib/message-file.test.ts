import { fileHref, fileOfMessage, mediaOf, remoteFileHref } from './message-file';

const file = (id: number, size = 1_000) => ({ '@type': 'file', id, size, remote: { id: `remote-${id}` } });
const message = (content: unknown) => ({ '@type': 'message', id: 7, chat_id: -100, date: 1_764_000_000, content });

it('takes the largest size of a photo, and one that is sharp enough as its preview', () => {
  const photo = {
    minithumbnail: { data: 'AAAA' },
    sizes: [
      { width: 90, photo: file(1) },
      { width: 1_280, photo: file(3, 90_000) },
      { width: 320, photo: file(2) },
    ],
  };
  expect(fileOfMessage(message({ '@type': 'messagePhoto', photo }))).toMatchObject({
    chatId: -100,
    messageId: 7,
    fileId: 3,
    remoteId: 'remote-3',
    size: 90_000,
    previewId: 2,
    media: 'image',
    blur: 'data:image/jpeg;base64,AAAA',
  });
});

it.each([
  ['messageVideo', { video: { video: file(1), file_name: 'a.mp4', duration: 61 } }, 'video', 'a.mp4'],
  ['messageAudio', { audio: { audio: file(1), title: 'Song', performer: 'Band' } }, 'audio', 'Band – Song'],
  ['messageVoiceNote', { voice_note: { voice: file(1), duration: 3 } }, 'audio', 'Voice message'],
  ['messageVideoNote', { video_note: { video: file(1) } }, 'video', 'Video message'],
  [
    'messageDocument',
    { document: { document: file(1), file_name: 'a.pdf', mime_type: 'application/pdf' } },
    'other',
    'a.pdf',
  ],
])('reads the file of a %s', (type, content, media, name) => {
  expect(fileOfMessage(message({ '@type': type, ...content }))).toMatchObject({ fileId: 1, media, name });
});

it('shows no thumbnail that a browser cannot draw', () => {
  const animation = { animation: file(1), thumbnail: { format: { '@type': 'thumbnailFormatMpeg4' }, file: file(2) } };
  expect(fileOfMessage(message({ '@type': 'messageAnimation', animation }))?.previewId).toBeUndefined();
});

it('sees no file in a text', () => {
  expect(fileOfMessage(message({ '@type': 'messageText', text: {} }))).toBeUndefined();
  expect(fileOfMessage(null)).toBeUndefined();
});

it('tries no picture that browsers cannot draw', () => {
  expect(mediaOf('image/tiff')).toBe('other');
  expect(mediaOf('image/png')).toBe('image');
  expect(mediaOf(undefined)).toBe('other');
});

it('names a file with its message, or by its remote id', () => {
  const session = { kind: 'user', id: 's' } as const;
  expect(fileHref(session, 3, { chatId: -100, messageId: 7 })).toBe('/v1/user/s/files/3?chat_id=-100&message_id=7');
  expect(remoteFileHref(session, 'a+b/c')).toBe('/v1/user/s/files/0?remote_id=a%2Bb%2Fc');
});
