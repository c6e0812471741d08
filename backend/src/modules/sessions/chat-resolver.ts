import {
  isChatNotLoaded,
  loadChatQuery,
  numberMember,
  parseChatReference,
  type TdClient,
} from '../../telegram/index.js';

const RESOLVED_FOR_MS = 3_600_000;
/** Names are attacker-chosen, so the cache has an end; the oldest go first. */
const MAX_NAMES = 10_000;

/** While the session is down nothing is waited for longer than calls are. */
const FOR_CALL = { isForCall: true };

interface Resolved {
  readonly chatId: Promise<number>;
  readonly until: number;
}

/**
 * Makes a session's `chat_id` usable: resolves names, once an hour and once for everybody who waits, and loads chats that TDLib
 * knows only by their id.
 */
export class ChatResolver {
  private readonly names = new Map<string, Resolved>();
  private readonly loading = new Map<number, Promise<boolean>>();

  constructor(private readonly now: () => number = Date.now) {}

  /** Whether Telegram would have to be asked for the chat that `params.chat_id` names. */
  asks(params: Readonly<Record<string, unknown>>): boolean {
    const given = params['chat_id'];
    const reference = typeof given === 'string' ? parseChatReference(given) : undefined;
    return reference?.kind === 'username' && this.known(reference.username) === undefined;
  }

  /**
   * Puts the number in place of a name, a link or digits in `params.chat_id`.
   * @param asking called when Telegram is asked for it, and not by somebody else already
   * @throws TdlibError searchPublicChat's refusal
   */
  async resolve(client: TdClient, params: Record<string, unknown>, asking?: () => void): Promise<void> {
    const given = params['chat_id'];
    if (typeof given !== 'string') {
      return;
    }
    const reference = parseChatReference(given);
    if (reference !== undefined) {
      params['chat_id'] =
        reference.kind === 'id' ? reference.chatId : await this.chatIdOf(client, reference.username, asking);
    }
  }

  /**
   * After a refusal: loads the chat that the call named, if that may help.
   * @returns whether the call is worth one repetition
   */
  async load(client: TdClient, params: Readonly<Record<string, unknown>>, refusal: unknown): Promise<boolean> {
    const chatId = params['chat_id'];
    if (!isChatNotLoaded(refusal) || typeof chatId !== 'number') {
      return false;
    }
    const query = loadChatQuery(chatId);
    if (query === undefined) {
      return false;
    }
    let loading = this.loading.get(chatId);
    if (loading === undefined) {
      loading = client
        .request(query, FOR_CALL)
        .then(
          () => true,
          () => false,
        )
        .finally(() => this.loading.delete(chatId));
      this.loading.set(chatId, loading);
    }
    return loading;
  }

  private known(username: string): Promise<number> | undefined {
    const known = this.names.get(username);
    return known !== undefined && known.until > this.now() ? known.chatId : undefined;
  }

  private chatIdOf(client: TdClient, username: string, asking: (() => void) | undefined): Promise<number> {
    const known = this.known(username);
    if (known !== undefined) {
      return known;
    }
    asking?.();
    const chatId = client
      .request({ '@type': 'searchPublicChat', username }, FOR_CALL)
      .then((chat) => numberMember(chat, 'id'))
      .catch((error: unknown) => {
        // A refusal is not kept: the name may exist a moment later.
        this.names.delete(username);
        throw error;
      });
    this.names.delete(username);
    this.names.set(username, { chatId, until: this.now() + RESOLVED_FOR_MS });
    if (this.names.size > MAX_NAMES) {
      const [oldest] = this.names.keys();
      if (oldest !== undefined) {
        this.names.delete(oldest);
      }
    }
    return chatId;
  }
}
