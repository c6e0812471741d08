import { numberMember, objectMember, type TdObject } from '../../telegram/index.js';

/** The document of a message: TDLib's number of its file, and its size. */
export function documentOf(message: TdObject): { readonly id: number; readonly size: number } | undefined {
  const content = objectMember(message, 'content');
  const document = content && objectMember(content, 'document');
  const file = document && objectMember(document, 'document');
  return file && { id: numberMember(file, 'id'), size: numberMember(file, 'size') };
}
