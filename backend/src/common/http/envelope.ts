/** A result that is JSON text already; it is put into the envelope without being parsed. */
export class RawJson {
  /** @param beside further top-level members of the envelope, such as `sends` */
  constructor(
    readonly text: string,
    readonly beside?: Readonly<Record<string, unknown>>,
  ) {}
}

/** A whole envelope that another process of ours made; it is sent as it is. */
export class RawEnvelope {
  constructor(readonly text: string) {}
}

/** One page of a list; `next_cursor` stands beside `result`. */
export class Page<T> {
  constructor(
    readonly items: readonly T[],
    readonly nextCursor?: string,
  ) {}

  /** The same page of what each item becomes. */
  map<Other>(toOther: (item: T) => Other): Page<Other> {
    return new Page(
      this.items.map((item) => toOther(item)),
      this.nextCursor,
    );
  }
}

function besideText(beside: Readonly<Record<string, unknown>> | undefined): string {
  if (beside === undefined) return '';
  const text = JSON.stringify(beside);
  return text === '{}' ? '' : `,${text.slice(1, -1)}`;
}

/** The text of the success envelope around a handler's result; `undefined` becomes `null`. */
export function successEnvelope(result: unknown): string {
  if (result instanceof RawEnvelope) return result.text;
  if (result instanceof RawJson) return `{"ok":true,"result":${result.text}${besideText(result.beside)}}`;
  if (result instanceof Page) {
    const cursor = result.nextCursor === undefined ? undefined : { next_cursor: result.nextCursor };
    return `{"ok":true,"result":${JSON.stringify(result.items)}${besideText(cursor)}}`;
  }
  return `{"ok":true,"result":${JSON.stringify(result ?? null)}}`;
}
