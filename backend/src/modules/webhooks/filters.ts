/** What a subscription wants of a session's updates; every part that is given must let an update pass. */
export interface UpdateFilters {
  /** `@type`s; all when absent or empty. Events of the product come only where they are named. */
  readonly types?: readonly string[];
  readonly exclude_types?: readonly string[];
  /** Updates of these chats only; those of no chat are left out, but not the product's own. Absent for all, empty for none. */
  readonly chats?: readonly number[];
}

/** What is looked at of an update. The chat is only found out when it matters. */
export interface FilteredUpdate {
  readonly type: string;
  readonly chatId: number | undefined;
}

/** Begins the types of events that the product makes itself. */
export const SYSTEM_PREFIX = 'tgcontrol.';

/** Filters in the form in which thousands of updates a second pass through them. */
export class CompiledFilters {
  private readonly types: ReadonlySet<string> | undefined;
  private readonly excluded: ReadonlySet<string>;
  private readonly chats: ReadonlySet<number> | undefined;

  constructor({ types, exclude_types, chats }: UpdateFilters) {
    this.types = types === undefined || types.length === 0 ? undefined : new Set(types);
    this.excluded = new Set(exclude_types);
    this.chats = chats === undefined ? undefined : new Set(chats);
  }

  /** Whether an update of this type can pass at all; costs a look-up or two. */
  wantsType(type: string): boolean {
    if (this.excluded.has(type)) return false;
    return this.types?.has(type) ?? !type.startsWith(SYSTEM_PREFIX);
  }

  wants(update: FilteredUpdate): boolean {
    return this.wantsType(update.type) && this.wantsChat(update);
  }

  private wantsChat({ type, chatId }: FilteredUpdate): boolean {
    if (this.chats === undefined || type.startsWith(SYSTEM_PREFIX)) return true;
    return chatId !== undefined && this.chats.has(chatId);
  }
}
