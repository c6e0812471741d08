import type { TlObject } from '../../schema/tl-object.js';
import type { StoredFile } from '../../world/files.js';
import type { Media } from '../../world/messages.js';
import type { World } from '../../world/world.js';

/** Type letters of photo sizes (https://core.telegram.org/api/files#image-thumbnail-types). */
export const PHOTO_SIZE_TYPE = 'x';
export const THUMBNAIL_SIZE_TYPE = 'm';

/** `MessageMedia` as `viewerId` sees it, with fresh file references. */
export function renderMedia(world: World, viewerId: number, media: Media): TlObject {
  if (media.kind === 'plain') return media.media;
  const file = world.files.find(media.fileId);
  if (!file) return { _: 'messageMediaEmpty' };
  const spoiler = media.spoiler && { spoiler: true };
  if (media.kind === 'photo') return { _: 'messageMediaPhoto', ...spoiler, photo: renderPhoto(world, viewerId, file) };
  return {
    _: 'messageMediaDocument',
    ...spoiler,
    ...videoFlags(file.attributes),
    document: renderDocument(world, viewerId, file),
  };
}

function renderPhoto(world: World, viewerId: number, file: StoredFile): TlObject {
  return {
    _: 'photo',
    id: file.id,
    access_hash: world.files.accessHash(file, viewerId),
    file_reference: world.files.reference(),
    date: file.date,
    sizes: [renderSize(PHOTO_SIZE_TYPE, file)],
    dc_id: dcOf(world, viewerId),
  };
}

function renderDocument(world: World, viewerId: number, file: StoredFile): TlObject {
  const thumbnail = file.thumbnailId === undefined ? undefined : world.files.find(file.thumbnailId);
  return {
    _: 'document',
    id: file.id,
    access_hash: world.files.accessHash(file, viewerId),
    file_reference: world.files.reference(),
    date: file.date,
    mime_type: file.mimeType,
    size: file.sizeBytes,
    ...(thumbnail && { thumbs: [renderSize(THUMBNAIL_SIZE_TYPE, thumbnail)] }),
    dc_id: dcOf(world, viewerId),
    attributes: file.attributes,
  };
}

function renderSize(type: string, { dimensions, sizeBytes }: StoredFile): TlObject {
  const { width, height } = dimensions ?? { width: 0, height: 0 };
  return { _: 'photoSize', type, w: width, h: height, size: sizeBytes };
}

/** Telegram repeats what kind of document it is as flags of the media. */
function videoFlags(attributes: readonly TlObject[]): Partial<TlObject> {
  const video = attributes.find((attribute) => attribute._ === 'documentAttributeVideo');
  const audio = attributes.find((attribute) => attribute._ === 'documentAttributeAudio');
  return {
    ...(video && { video: true }),
    ...(video?.['round_message'] === true && { round: true }),
    ...(audio?.['voice'] === true && { voice: true }),
  };
}

/** The data centre this account's clients fetch files from. */
export function dcOf(world: World, viewerId: number): number {
  return world.accounts.find(viewerId)?.homeDc ?? 1;
}
