/** What waits, and where it stands in line. */
export interface Waiting {
  readonly sequence: number;
  readonly part: { readonly ownerId: string; readonly objectId: string };
}

/**
 * Parts that wait for a bot. Owners take turns, and the objects of an owner do, so that an object of a thousand parts does not
 * hold up one of a few. A turn is one message whatever its size: messages are what Telegram counts. Parts that a bot has given
 * back come before all others, in the order in which they first came.
 */
export class Backlog<W extends Waiting> {
  private readonly returned: W[] = [];
  private readonly owners = new Map<string, Map<string, Set<W>>>();
  private waiting = 0;

  get size(): number {
    return this.waiting + this.returned.length;
  }

  /** Those that a bot has given back, foremost first. */
  get foremost(): readonly W[] {
    return this.returned;
  }

  *[Symbol.iterator](): Generator<W> {
    yield* this.returned;
    for (const objects of this.owners.values()) {
      for (const parts of objects.values()) yield* parts;
    }
  }

  /** At the end of its object's line. */
  add(waiting: W): void {
    const { ownerId, objectId } = waiting.part;
    const objects = entryOf(this.owners, ownerId, () => new Map<string, Set<W>>());
    entryOf(objects, objectId, () => new Set<W>()).add(waiting);
    this.waiting += 1;
  }

  /** Before all that have not been tried. */
  giveBack(waiting: W): void {
    const at = this.returned.findIndex(({ sequence }) => sequence > waiting.sequence);
    this.returned.splice(at < 0 ? this.returned.length : at, 0, waiting);
  }

  /** The next of those that have not been tried, by turns. */
  take(): W | undefined {
    const [owner] = this.owners;
    if (owner === undefined) return undefined;
    const [ownerId, objects] = owner;
    const [object] = objects;
    const [next] = object?.[1] ?? [];
    if (object === undefined || next === undefined) return undefined;
    this.removeUntried(next);
    // Whoever had a turn goes to the end of the line. Maps keep the order in which keys were put in.
    moveToEnd(objects, object[0]);
    moveToEnd(this.owners, ownerId);
    return next;
  }

  /** @returns whether it was waiting */
  remove(waiting: W): boolean {
    const at = this.returned.indexOf(waiting);
    if (at >= 0) {
      this.returned.splice(at, 1);
      return true;
    }
    return this.removeUntried(waiting);
  }

  private removeUntried(waiting: W): boolean {
    const { ownerId, objectId } = waiting.part;
    const objects = this.owners.get(ownerId);
    const parts = objects?.get(objectId);
    if (objects === undefined || parts?.delete(waiting) !== true) return false;
    this.waiting -= 1;
    if (parts.size === 0) objects.delete(objectId);
    if (objects.size === 0) this.owners.delete(ownerId);
    return true;
  }
}

function entryOf<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const found = map.get(key);
  if (found !== undefined) return found;
  const made = make();
  map.set(key, made);
  return made;
}

function moveToEnd<K, V>(map: Map<K, V>, key: K): void {
  const value = map.get(key);
  if (value === undefined) return;
  map.delete(key);
  map.set(key, value);
}
