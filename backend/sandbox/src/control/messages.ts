import type { Account } from '../world/accounts.js';
import type { FileDescription, StoredFile } from '../world/files.js';
import { copiesOf } from '../world/boxes.js';
import type { Media, MessageCopy } from '../world/messages.js';
import type { PeerRef } from '../world/peer.js';
import { fromChatId, fromTdMessageId, toChatId, toTdMessageId } from '../world/peer.js';
import type { World } from '../world/world.js';
import { UnknownError } from './unknown-error.js';

/** A file to send: its bytes, a path that this process can read, or a size alone, for a document that takes no place. */
export interface FileSource {
  readonly bytes?: Buffer | undefined;
  readonly path?: string | undefined;
  readonly size?: number | undefined;
  readonly name?: string | undefined;
  readonly mimeType?: string | undefined;
}

/** A message of an account that no client has to be logged in for. Rights and limits are not checked. */
export interface NewMessage {
  /** Account id. A channel's creator when absent. */
  readonly from?: number | undefined;
  /** td_api's chat id, as the sender sees it: of a private chat the other account's id. */
  readonly chatId: number;
  readonly text?: string | undefined;
  readonly document?: FileSource | undefined;
  readonly photo?: FileSource | undefined;
  /** What to do with `messageId`. */
  readonly as?: 'reply' | 'edit' | 'delete' | undefined;
  /** td_api's message id, in the sender's numbering. */
  readonly messageId?: number | undefined;
  /** Unix seconds; now when absent. */
  readonly date?: number | undefined;
}

/** Which messages to list. */
export interface MessageFilter {
  readonly chatId: number;
  /** Whose numbering and view; needed for private chats, the creator's when absent. */
  readonly account?: number | undefined;
}

/** A message as the server holds it. */
export interface MessageInfo {
  /** td_api's id. */
  readonly messageId: number;
  readonly chatId: number;
  readonly senderId: number;
  /** Unix seconds. */
  readonly date: number;
  readonly editDate: number | undefined;
  readonly text: string;
  readonly out: boolean;
  readonly replyToId: number | undefined;
  readonly groupedId: string | undefined;
  /** Name of a service message's action. */
  readonly action: string | undefined;
  readonly file: FileInfo | undefined;
}

/** A file in a message. */
export interface FileInfo {
  readonly kind: 'photo' | 'document';
  readonly name: string | undefined;
  readonly mimeType: string;
  readonly sizeBytes: number;
  readonly sha256: string;
}

/** What accounts without a client write, and what Telegram holds. */
export class MessageControl {
  constructor(private readonly world: World) {}

  /** @returns td_api's id in the sender's numbering; of a deletion the id deleted. @throws UnknownError, RpcError */
  async send(message: NewMessage): Promise<{ readonly messageId: number }> {
    const peer = fromChatId(message.chatId);
    const sender = this.sender(message, peer);
    const targetId = message.messageId === undefined ? undefined : fromTdMessageId(message.messageId);
    if (message.as === 'delete') return this.delete(sender, peer, needed(targetId));
    const media = await this.media(message);
    const { text } = message;
    const posted =
      message.as === 'edit'
        ? this.world.revising.edit(sender, peer, needed(targetId), { text, media, replyMarkup: undefined })
        : this.world.posting.post(sender, peer, { text, media, replyToId: targetId }, { date: message.date });
    return { messageId: toTdMessageId(posted.copy.id) };
  }

  /** Oldest first. @throws UnknownError */
  async list({ chatId, account }: MessageFilter): Promise<MessageInfo[]> {
    const peer = fromChatId(chatId);
    const viewerId = account ?? this.defaultViewer(peer);
    const box = peer.kind === 'channel' ? this.world.chats.findChannel(peer.id)?.box : this.world.posting.box(viewerId);
    if (!box) throw new UnknownError('chat', chatId);
    return Promise.all(copiesOf(box, peer).map((copy) => this.describe(viewerId, copy)));
  }

  /** The account reads a chat, as if it had opened it. @throws UnknownError */
  read(accountId: number, chatId: number): void {
    const peer = fromChatId(chatId);
    const reader = this.account(accountId);
    const channel = peer.kind === 'channel' ? this.world.chats.findChannel(peer.id) : undefined;
    if (channel) this.world.reading.readChannel(reader, channel, channel.box.nextId - 1);
    else this.world.reading.read(reader, peer, 0);
  }

  private delete(sender: Account, peer: PeerRef, id: number): { readonly messageId: number } {
    if (peer.kind === 'channel') this.world.revising.removeFromChannel(this.world.chats.channel(peer.id), [id]);
    else this.world.revising.delete(sender, [id], true);
    return { messageId: toTdMessageId(id) };
  }

  private async media({ document, photo }: NewMessage): Promise<Media | undefined> {
    const source = document ?? photo;
    if (!source) return undefined;
    const description = {
      kind: document ? ('document' as const) : ('photo' as const),
      ...(source.mimeType !== undefined && { mimeType: source.mimeType }),
      ...(document && {
        attributes: [{ _: 'documentAttributeFilename', file_name: source.name ?? 'file' }],
      }),
    };
    const file = await this.store(source, description);
    return { kind: file.kind, fileId: file.id, spoiler: false };
  }

  private async store({ bytes, path, size }: FileSource, description: FileDescription): Promise<StoredFile> {
    const { files } = this.world;
    if (path !== undefined) return files.copyFrom(path, description);
    return bytes === undefined && size !== undefined && description.kind === 'document'
      ? files.generate(size, description)
      : files.create(bytes ?? Buffer.alloc(0), description);
  }

  private async describe(viewerId: number, copy: MessageCopy): Promise<MessageInfo> {
    const { content } = copy;
    return {
      messageId: toTdMessageId(copy.id),
      chatId: toChatId(copy.peer),
      senderId: content.senderId,
      date: content.date,
      editDate: content.editDate,
      text: content.text,
      out: content.senderId === viewerId,
      replyToId: copy.replyToId === undefined ? undefined : toTdMessageId(copy.replyToId),
      groupedId: content.groupedId === undefined ? undefined : String(content.groupedId),
      action: content.action?._,
      file: await this.describeFile(content.media),
    };
  }

  private async describeFile(media: Media | undefined): Promise<FileInfo | undefined> {
    if (!media || media.kind === 'plain') return undefined;
    const file = this.world.files.find(media.fileId);
    if (!file) return undefined;
    const { kind, mimeType, sizeBytes } = file;
    return { kind, name: nameOf(file), mimeType, sizeBytes, sha256: await this.world.files.sha256(file) };
  }

  private sender({ from, chatId }: NewMessage, peer: PeerRef): Account {
    if (from !== undefined) return this.account(from);
    if (peer.kind === 'user') throw new UnknownError('sender for chat', chatId);
    return this.account(this.defaultViewer(peer));
  }

  private defaultViewer(peer: PeerRef): number {
    const { chats } = this.world;
    if (peer.kind === 'user') throw new UnknownError('account to look at chat', peer.id);
    const chat = peer.kind === 'group' ? chats.findGroup(peer.id) : chats.findChannel(peer.id);
    if (!chat) throw new UnknownError('chat', toChatId(peer));
    return chat.creatorId;
  }

  private account(id: number): Account {
    const account = this.world.accounts.find(id);
    if (!account) throw new UnknownError('account', id);
    return account;
  }
}

function nameOf({ attributes }: StoredFile): string | undefined {
  const name = attributes.find((attribute) => attribute._ === 'documentAttributeFilename')?.['file_name'];
  return typeof name === 'string' ? name : undefined;
}

function needed(id: number | undefined): number {
  if (id === undefined) throw new UnknownError('message', 'without an id');
  return id;
}
