/** What follows the last slash of a key; of a folder, the part before that. */
export function objectName(key: string): string {
  return key.split('/').findLast((part) => part !== '') ?? key;
}
