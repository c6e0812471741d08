import { isRecord, numberOf, objectOf, objectsOf, textOf, type SessionRef } from './td';

/** What a file can be shown as. */
export type MediaKind = 'image' | 'video' | 'audio' | 'other';

/** The file of a message, as far as a page needs it. */
export interface MessageFile {
  readonly chatId: number;
  readonly messageId: number;
  /** TDLib's number; it holds until the session is restarted. */
  readonly fileId: number;
  /** Names the file for other days and for other sessions of the account. */
  readonly remoteId: string | undefined;
  readonly name: string;
  readonly media: MediaKind;
  readonly mimeType: string | undefined;
  /** In bytes; 0 when it is not known. */
  readonly size: number;
  /** A small picture of it, as a file of its own. */
  readonly previewId: number | undefined;
  /** A blurred picture of a few hundred bytes, as a data: address, that came with the message. */
  readonly blur: string | undefined;
  readonly durationSeconds: number | undefined;
  readonly date: Date;
}

type Td = Record<string, unknown>;

/** Formats of thumbnails that a browser shows as a picture. */
const PICTURES = new Set(['thumbnailFormatJpeg', 'thumbnailFormatPng', 'thumbnailFormatWebp', 'thumbnailFormatGif']);
/** A preview this wide is sharp enough for a tile. */
const PREVIEW_WIDTH = 320;

function blurOf(media: Td): string | undefined {
  const data = textOf(objectOf(media, 'minithumbnail') ?? {}, 'data');
  return data === undefined ? undefined : `data:image/jpeg;base64,${data}`;
}

function thumbnailOf(media: Td): number | undefined {
  const thumbnail = objectOf(media, 'thumbnail');
  const format = textOf(
    thumbnail && objectOf(thumbnail, 'format') ? (objectOf(thumbnail, 'format') ?? {}) : {},
    '@type',
  );
  if (!thumbnail || format === undefined || !PICTURES.has(format)) return undefined;
  return numberOf(objectOf(thumbnail, 'file') ?? {}, 'id');
}

interface Described {
  readonly file: Td | undefined;
  readonly media: MediaKind;
  readonly name: string;
  readonly mimeType?: string | undefined;
  readonly previewId?: number | undefined;
  readonly blur?: string | undefined;
  readonly durationSeconds?: number | undefined;
}

function describePhoto(content: Td): Described {
  const photo = objectOf(content, 'photo') ?? {};
  const width = (size: Td): number => numberOf(size, 'width') ?? 0;
  const sizes = [...objectsOf(photo, 'sizes')].sort((a, b) => width(a) - width(b));
  const preview = sizes.find((size) => width(size) >= PREVIEW_WIDTH) ?? sizes.at(-1);
  return {
    file: objectOf(sizes.at(-1) ?? {}, 'photo'),
    media: 'image',
    name: 'Photo',
    mimeType: 'image/jpeg',
    previewId: numberOf(objectOf(preview ?? {}, 'photo') ?? {}, 'id'),
    blur: blurOf(photo),
  };
}

/** What a browser can do with a file of this type. */
export function mediaOf(mimeType: string | undefined): MediaKind {
  const [kind] = (mimeType ?? '').split('/');
  // What a browser cannot draw, such as TIFF, is better not tried.
  if (kind === 'image') return /^image\/(jpeg|png|webp|gif|avif)$/.test(mimeType ?? '') ? 'image' : 'other';
  return kind === 'video' || kind === 'audio' ? kind : 'other';
}

/** A media object that has its file under `field`, such as the `video` of a `video`. */
function describeMedia(content: Td, name: string, fallback: string, media?: MediaKind, field = name): Described {
  const object = objectOf(content, name) ?? {};
  const mimeType = textOf(object, 'mime_type');
  const title = [textOf(object, 'performer'), textOf(object, 'title')].filter((part) => part !== undefined).join(' – ');
  const file = objectOf(object, field);
  const shown = media ?? mediaOf(mimeType);
  const small = shown === 'image' && (numberOf(file ?? {}, 'size') ?? Infinity) < 512 * 1_024;
  return {
    file,
    media: shown,
    name: textOf(object, 'file_name') ?? (title === '' ? fallback : title),
    mimeType,
    previewId: thumbnailOf(object) ?? (small ? numberOf(file ?? {}, 'id') : undefined),
    blur: blurOf(object),
    durationSeconds: numberOf(object, 'duration'),
  };
}

function describe(content: Td): Described | undefined {
  switch (content['@type']) {
    case 'messagePhoto':
      return describePhoto(content);
    case 'messageVideo':
      return describeMedia(content, 'video', 'Video', 'video');
    case 'messageAnimation':
      return describeMedia(content, 'animation', 'Animation', 'video');
    case 'messageVideoNote':
      return describeMedia(content, 'video_note', 'Video message', 'video', 'video');
    case 'messageAudio':
      return describeMedia(content, 'audio', 'Audio', 'audio');
    case 'messageVoiceNote':
      return describeMedia(content, 'voice_note', 'Voice message', 'audio', 'voice');
    case 'messageDocument':
      return describeMedia(content, 'document', 'Document');
    default:
      return undefined;
  }
}

/** The file of td_api's `message`; undefined when it has none that people send. */
export function fileOfMessage(message: unknown): MessageFile | undefined {
  if (!isRecord(message)) return undefined;
  const messageId = numberOf(message, 'id');
  const chatId = numberOf(message, 'chat_id');
  const found = describe(objectOf(message, 'content') ?? {});
  const fileId = numberOf(found?.file ?? {}, 'id');
  if (messageId === undefined || chatId === undefined || !found?.file || fileId === undefined) return undefined;
  const { file, ...described } = found;
  return {
    previewId: undefined,
    blur: undefined,
    durationSeconds: undefined,
    mimeType: undefined,
    ...described,
    chatId,
    messageId,
    fileId,
    remoteId: textOf(objectOf(file, 'remote') ?? {}, 'id'),
    size: numberOf(file, 'size') || numberOf(file, 'expected_size') || 0,
    date: new Date((numberOf(message, 'date') ?? 0) * 1_000),
  };
}

/** Where a file of a session is downloaded; named with its message, an expired reference is renewed there. */
export function fileHref(
  { kind, id }: SessionRef,
  fileId: number,
  from?: { readonly chatId: number; readonly messageId: number },
): string {
  const query = from ? `?chat_id=${from.chatId}&message_id=${from.messageId}` : '';
  return `/v1/${kind}/${encodeURIComponent(id)}/files/${fileId}${query}`;
}

/** Where a file is downloaded by its `remote.id`. */
export function remoteFileHref({ kind, id }: SessionRef, remoteId: string): string {
  return `/v1/${kind}/${encodeURIComponent(id)}/files/0?remote_id=${encodeURIComponent(remoteId)}`;
}
