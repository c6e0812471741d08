/** Control characters, half characters, and what takes no room or turns the direction of text. */
const UNSEEN = /[\p{Cc}\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\p{Surrogate}]/gu;
const ESCAPES: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** What follows the last slash of a key, as the name of a file; of a folder, the part before that. */
export function fileName(key: string): string {
  return key.split('/').findLast((part) => part !== '') ?? key;
}

/** A text of which every character can be seen: escapes stand for those that cannot, and `␣` for blanks at the ends. */
export function visible(text: string): string {
  return text
    .replace(/^\s+|\s+$/g, (blanks) => blanks.replace(/[^\S\n\r\t\v\f\u2028\u2029\ufeff]/g, '␣'))
    .replace(UNSEEN, (character) => {
      const code = (character.codePointAt(0) ?? 0).toString(16).padStart(4, '0');
      return ESCAPES[character] ?? `\\u${code}`;
    });
}

/** The name of an object or a folder, to be read. */
export function objectName(key: string): string {
  return visible(fileName(key));
}
