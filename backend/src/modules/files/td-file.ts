import { numberMember, objectMember, stringMember, type TdObject } from '../../telegram/index.js';

/** What of td_api's `file` downloads look at. */
export interface TdFile {
  readonly id: number;
  /** In bytes; 0 while it is not known. */
  readonly size: number;
  /** The same file has the same one in every session; empty for what Telegram does not have. */
  readonly uniqueId: string;
  /** Of the file, or of the part that is there; empty when nothing is. */
  readonly path: string;
  readonly isWhole: boolean;
  /** From here on `readyBytes` bytes are there without a gap. */
  readonly readyFrom: number;
  readonly readyBytes: number;
  /** All that is there, gaps left out. */
  readonly downloadedBytes: number;
}

/** Reads td_api's `file`. */
export function toTdFile(file: TdObject): TdFile {
  const local = objectMember(file, 'local');
  const remote = objectMember(file, 'remote');
  return {
    id: numberMember(file, 'id'),
    size: numberMember(file, 'size'),
    uniqueId: remote === undefined ? '' : stringMember(remote, 'unique_id'),
    path: local === undefined ? '' : stringMember(local, 'path'),
    isWhole: local?.['is_downloading_completed'] === true,
    readyFrom: local === undefined ? 0 : numberMember(local, 'download_offset'),
    readyBytes: local === undefined ? 0 : numberMember(local, 'downloaded_prefix_size'),
    downloadedBytes: local === undefined ? 0 : numberMember(local, 'downloaded_size'),
  };
}

/** A file in a message, with what the message says about it. */
export interface FileInMessage {
  readonly file: TdFile;
  readonly name: string;
  readonly mimeType: string;
}

const MAX_DEPTH = 16;

/** Every file of a message's content. */
export function filesIn(value: unknown, depth = 0): readonly FileInMessage[] {
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) {
    return [];
  }
  if (Array.isArray(value)) {
    return (value as readonly unknown[]).flatMap((item) => filesIn(item, depth + 1));
  }
  const object = value as TdObject;
  return Object.entries(object).flatMap(([, member]) => {
    if (typeof member !== 'object' || member === null) {
      return [];
    }
    if ((member as TdObject)['@type'] === 'file') {
      return [
        {
          file: toTdFile(member as TdObject),
          name: stringMember(object, 'file_name'),
          mimeType: stringMember(object, 'mime_type'),
        },
      ];
    }
    return filesIn(member, depth + 1);
  });
}
