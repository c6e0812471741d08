import { RpcError } from '../../rpc.js';
import type { TlObject } from '../../schema/tl-object.js';
import { bigintOf, bytesOf, numberOf, objectOf, optionalNumberOf, stringOf } from '../../schema/tl-object.js';
import type { StoredFile } from '../../world/files.js';
import type { Call, Methods } from '../call.js';
import { findFile } from '../input-media.js';
import { PHOTO_SIZE_TYPE } from '../render/media.js';

/** https://core.telegram.org/api/files#downloading-files */
const MAX_CHUNK_BYTES = 1_048_576;
const OFFSET_UNIT = 1024;

/** Parts of files, in both directions. */
export const uploadMethods: Methods = {
  'upload.saveFilePart': (call, query) => savePart(call, query),
  'upload.saveBigFilePart': (call, query) => savePart(call, query),
  'upload.getFile': async (call, query) => {
    const file = fileAt(call, objectOf(query, 'location'));
    const [offset, limit] = [numberOf(query, 'offset'), numberOf(query, 'limit')];
    if (offset < 0 || offset % OFFSET_UNIT !== 0) throw new RpcError(400, 'OFFSET_INVALID');
    if (limit <= 0 || limit > MAX_CHUNK_BYTES) throw new RpcError(400, 'LIMIT_INVALID');
    return {
      _: 'upload.file',
      type: { _: file.kind === 'photo' ? 'storage.fileJpeg' : 'storage.fileUnknown' },
      mtime: file.date,
      bytes: await call.world.files.read(file, offset, limit),
    };
  },
  'upload.getFileHashes': () => [],
};

async function savePart({ world, account }: Call, query: TlObject): Promise<boolean> {
  await world.uploads.save(account, {
    fileId: bigintOf(query, 'file_id'),
    index: numberOf(query, 'file_part'),
    bytes: bytesOf(query, 'bytes'),
    totalParts: optionalNumberOf(query, 'file_total_parts'),
  });
  return true;
}

function fileAt(call: Call, location: TlObject): StoredFile {
  if (location._ !== 'inputDocumentFileLocation' && location._ !== 'inputPhotoFileLocation') {
    throw new RpcError(400, 'LOCATION_INVALID');
  }
  const file = findFile(call, location, 'LOCATION_INVALID');
  const size = stringOf(location, 'thumb_size');
  if (size === '' || (file.kind === 'photo' && size === PHOTO_SIZE_TYPE)) return file;
  const thumbnail = file.thumbnailId === undefined ? undefined : call.world.files.find(file.thumbnailId);
  if (!thumbnail) throw new RpcError(400, 'LOCATION_INVALID');
  return thumbnail;
}
