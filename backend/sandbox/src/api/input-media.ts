import { RpcError } from '../rpc.js';
import type { TlObject } from '../schema/tl-object.js';
import {
  bigintOf,
  bytesOf,
  flagOf,
  numberOf,
  objectOf,
  objectsOf,
  optionalObjectOf,
  stringOf,
} from '../schema/tl-object.js';
import type { FileDescription, StoredFile } from '../world/files.js';
import type { Media } from '../world/messages.js';
import type { Call } from './call.js';

/** Uploads that were stored already, so that a repeated call finds them: the parts are gone after the first one. */
const TAKEN = 'taken-uploads';

/**
 * The media that an `InputMedia` describes. Uploads become stored files.
 * @throws RpcError
 */
export async function readMedia(call: Call, input: TlObject): Promise<Media> {
  switch (input._) {
    case 'inputMediaUploadedPhoto':
      return { kind: 'photo', ...spoiler(input), fileId: (await storePhoto(call, input)).id };
    case 'inputMediaUploadedDocument':
      return { kind: 'document', ...spoiler(input), fileId: (await storeDocument(call, input)).id };
    case 'inputMediaPhoto':
    case 'inputMediaDocument': {
      const file = findFile(call, objectOf(input, 'id'));
      return { kind: file.kind, ...spoiler(input), fileId: file.id };
    }
    case 'inputMediaGeoPoint':
      return { kind: 'plain', media: { _: 'messageMediaGeo', geo: readGeoPoint(input) } };
    case 'inputMediaVenue':
      return { kind: 'plain', media: { ...input, _: 'messageMediaVenue', geo: readGeoPoint(input) } };
    case 'inputMediaContact':
      return { kind: 'plain', media: readContact(call, input) };
    case 'inputMediaDice':
      return { kind: 'plain', media: { _: 'messageMediaDice', value: 1, emoticon: stringOf(input, 'emoticon') } };
    default:
      throw new RpcError(400, 'MEDIA_INVALID');
  }
}

/**
 * The stored file that an `InputDocument`, an `InputPhoto` or a file location names.
 * @throws RpcError `400 FILE_REFERENCE_…` or `400 MEDIA_EMPTY`
 */
export function findFile({ world, account }: Call, input: TlObject, notFound = 'MEDIA_EMPTY'): StoredFile {
  const file = world.files.find(bigintOf(input, 'id'));
  if (!file || world.files.accessHash(file, account.id) !== bigintOf(input, 'access_hash')) {
    throw new RpcError(400, notFound);
  }
  const problem = world.files.referenceProblem(bytesOf(input, 'file_reference'));
  if (problem) throw new RpcError(400, problem);
  return file;
}

async function storePhoto(call: Call, input: TlObject): Promise<StoredFile> {
  return takeUpload(call, objectOf(input, 'file'), { kind: 'photo' });
}

async function storeDocument(call: Call, input: TlObject): Promise<StoredFile> {
  const thumbnail = optionalObjectOf(input, 'thumb');
  // A broken preview does not cost the sender the file, with Telegram neither.
  const preview = thumbnail && (await takeUpload(call, thumbnail, { kind: 'photo' }).catch(() => undefined));
  return takeUpload(call, objectOf(input, 'file'), {
    kind: 'document',
    mimeType: stringOf(input, 'mime_type'),
    attributes: objectsOf(input, 'attributes'),
    ...(preview && { thumbnailId: preview.id }),
  });
}

/** Stores the parts of an `InputFile` once, however often the call is repeated. */
function takeUpload(call: Call, input: TlObject, description: FileDescription): Promise<StoredFile> {
  const taken = takenUploads(call);
  const fileId = bigintOf(input, 'id');
  let stored = taken.get(fileId);
  if (!stored) {
    stored = call.world.uploads
      .take(call.account.id, fileId, numberOf(input, 'parts'))
      .then((arrived) => call.world.files.adopt(arrived, description));
    taken.set(fileId, stored);
    // A refused upload may be sent again under the same id.
    stored.catch(() => taken.delete(fileId));
  }
  return stored;
}

function takenUploads({ context }: Call): Map<bigint, Promise<StoredFile>> {
  const known = context.key.data.get(TAKEN) as Map<bigint, Promise<StoredFile>> | undefined;
  const taken = known ?? new Map<bigint, Promise<StoredFile>>();
  context.key.data.set(TAKEN, taken);
  return taken;
}

function spoiler(input: TlObject): { readonly spoiler: boolean } {
  return { spoiler: flagOf(input, 'spoiler') };
}

function readGeoPoint(input: TlObject): TlObject {
  const point = objectOf(input, 'geo_point');
  if (point._ !== 'inputGeoPoint') return { _: 'geoPointEmpty' };
  return { _: 'geoPoint', long: numberOf(point, 'long'), lat: numberOf(point, 'lat'), access_hash: 0n };
}

function readContact({ world }: Call, input: TlObject): TlObject {
  const phone = stringOf(input, 'phone_number');
  return { ...input, _: 'messageMediaContact', user_id: world.accounts.findByPhone(phone)?.id ?? 0 };
}
