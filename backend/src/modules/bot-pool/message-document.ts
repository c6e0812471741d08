import { numberMember, objectMember, stringMember, type TdObject } from '../../telegram/index.js';

/** The document of a message: TDLib's number of its file, its size, and the name it was sent with. */
export function documentOf(
  message: TdObject,
): { readonly id: number; readonly size: number; readonly name: string } | undefined {
  const content = objectMember(message, 'content');
  const document = content && objectMember(content, 'document');
  const file = document && objectMember(document, 'document');
  return (
    file && {
      id: numberMember(file, 'id'),
      size: numberMember(file, 'size'),
      name: stringMember(document, 'file_name'),
    }
  );
}
