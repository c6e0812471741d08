import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { RawJson, successEnvelope } from '../../common/http/index.js';
import { readTdSchema } from '../../telegram/index.js';

/** What of a list is asked for. */
export interface Selection {
  /** Only what has exactly this name. */
  readonly name?: string;
  /** Only what has this text in its name or its description, in whatever case. */
  readonly q?: string;
}

/** A whole answer, as it is sent. */
export interface CatalogueAnswer {
  readonly body: Buffer;
  readonly etag: string;
}

interface Entry {
  readonly name: string;
  /** What `q` looks at, in lower case. */
  readonly words: string;
  readonly json: string;
}

function answerOf(json: string): CatalogueAnswer {
  const body = Buffer.from(successEnvelope(new RawJson(json)), 'utf8');
  return { body, etag: `"${createHash('sha256').update(body).digest('base64url')}"` };
}

/** Methods or types. What is asked for most, all of them, is written once. */
class CatalogueList {
  private readonly entries: readonly Entry[];
  private readonly all: CatalogueAnswer;

  constructor(items: readonly { readonly name: string; readonly description: string }[]) {
    this.entries = items.map((item) => ({
      name: item.name,
      words: `${item.name} ${item.description}`.toLowerCase(),
      json: JSON.stringify(item),
    }));
    this.all = answerOf(`[${this.entries.map(({ json }) => json).join(',')}]`);
  }

  select({ name, q }: Selection): CatalogueAnswer {
    if (name === undefined && q === undefined) return this.all;
    const words = q?.toLowerCase();
    const chosen = this.entries.filter(
      (entry) => (name === undefined || entry.name === name) && (words === undefined || entry.words.includes(words)),
    );
    return answerOf(`[${chosen.map(({ json }) => json).join(',')}]`);
  }
}

/** The td_api of this TDLib, read when somebody first asks for it: it is several megabytes of memory. */
@Injectable()
export class TdCatalogue {
  private lists: Promise<{ readonly methods: CatalogueList; readonly types: CatalogueList }> | undefined;

  async methods(selection: Selection): Promise<CatalogueAnswer> {
    return (await this.loaded()).methods.select(selection);
  }

  async types(selection: Selection): Promise<CatalogueAnswer> {
    return (await this.loaded()).types.select(selection);
  }

  private loaded(): NonNullable<TdCatalogue['lists']> {
    this.lists ??= readTdSchema().then(
      ({ methods, types }) => ({ methods: new CatalogueList(methods), types: new CatalogueList(types) }),
      (error: unknown) => {
        this.lists = undefined;
        throw error;
      },
    );
    return this.lists;
  }
}
