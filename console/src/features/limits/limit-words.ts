import type { LimitRule } from '@/lib/types';

/** The groups of methods that Telegram counts together, as the API names them, and what people call them. */
export const GROUPS: Readonly<Record<string, { readonly word: string; readonly hint: string }>> = {
  '@send': { word: 'Sending', hint: 'Messages, albums, forwards' },
  '@join': { word: 'Joining', hint: 'Chats by name or invite link' },
  '@invite': { word: 'Inviting', hint: 'Members added to chats' },
  '@resolve': { word: 'Looking up', hint: 'People and chats by @name, number or link' },
  '@contacts': { word: 'Contacts', hint: 'Imported and added' },
  '@create': { word: 'Creating', hint: 'New groups and channels' },
  '@react': { word: 'Reacting', hint: 'Reactions to messages' },
  '@view': { word: 'Marking read', hint: 'Messages shown as seen' },
  '@history': { word: 'Reading history', hint: 'Of chats, and searching in them' },
  '@delete': { word: 'Deleting', hint: 'Messages and histories' },
  '@members': { word: 'Listing members', hint: 'Of groups and channels' },
};

/** Stands for whole calls, whatever their method. */
export const ANY_CALL = '*';

/** A group, a method, `*` or spam_limit, in words. */
export function scopeWord(scope: string): string {
  if (scope === ANY_CALL) return 'Calls';
  if (scope === 'spam_limit') return 'Writing to strangers';
  return GROUPS[scope]?.word ?? scope;
}

/** What a rule counts: "Sending, Joining, getChat". */
export function methodWords(methods: readonly string[]): string {
  return methods.map(scopeWord).join(', ');
}

/** How much a rule allows: "1,000 per day". */
export function allowance({ max, per }: Pick<LimitRule, 'max' | 'per'>): string {
  return `${max.toLocaleString('en')} per ${per}`;
}

/** How a rule is called: its label, else what it says. */
export function ruleName(rule: Pick<LimitRule, 'label' | 'methods' | 'max' | 'per'>): string {
  return rule.label !== undefined && rule.label !== ''
    ? rule.label
    : `${methodWords(rule.methods)}, ${allowance(rule)}`;
}
