import type { TlObject } from '../schema/tl-object.js';
import { numberOf } from '../schema/tl-object.js';

interface Pattern {
  readonly entity: string;
  readonly expression: RegExp;
}

/** In the order in which they win when they overlap. */
const PATTERNS: readonly Pattern[] = [
  { entity: 'messageEntityUrl', expression: /\bhttps?:\/\/[^\s<>"]*[^\s<>".,;:!?)\]}']/g },
  { entity: 'messageEntityEmail', expression: /\b[\w.+-]+@[\w-]+(?:\.[\w-]+)+\b/g },
  {
    entity: 'messageEntityUrl',
    expression: /\b(?:[a-z0-9-]+\.)+(?:com|org|net|io|dev|me)\b(?:\/[^\s<>"]*[^\s<>".,;:!?)\]}'])?/gi,
  },
  { entity: 'messageEntityBotCommand', expression: /(?<![\w/])\/\w{1,64}(?:@\w{3,32})?(?![\w/])/g },
  { entity: 'messageEntityMention', expression: /(?<!\w)@[a-z]\w{2,31}\b/gi },
  { entity: 'messageEntityHashtag', expression: /(?<![\p{L}\p{N}_])#[\p{L}_][\p{L}\p{N}_]*/gu },
];

const COULD_MATCH = /[/@#.]/;

/**
 * Adds what Telegram's server finds in a text by itself: bots get commands, links, mentions and hashtags as entities
 * only because the server marks them (https://core.telegram.org/api/entities). What the sender marked stays.
 */
export function withFoundEntities(text: string, given: readonly TlObject[]): readonly TlObject[] {
  if (!COULD_MATCH.test(text)) return given;
  const entities = [...given];
  for (const { entity, expression } of PATTERNS) {
    for (const match of text.matchAll(expression)) {
      const found = { _: entity, offset: match.index, length: match[0].length };
      if (!entities.some((other) => overlaps(other, found.offset, found.length))) entities.push(found);
    }
  }
  return entities.sort((a, b) => numberOf(a, 'offset') - numberOf(b, 'offset'));
}

function overlaps(entity: TlObject, offset: number, length: number): boolean {
  const start = numberOf(entity, 'offset');
  return start < offset + length && offset < start + numberOf(entity, 'length');
}
