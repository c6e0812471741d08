import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

/** One parameter of a constructor or method, in the form of `@mtcute/tl`'s JSON files. */
export interface TlParameter {
  readonly name: string;
  readonly type: string;
  readonly typeModifiers?: {
    /** `flags.3`: present when bit 3 of the field `flags` is set. */
    readonly predicate?: string;
    readonly isVector?: boolean;
    readonly isBareVector?: boolean;
    readonly isBareType?: boolean;
    readonly constructorId?: number;
  };
}

/** One constructor (`class`) or method. */
export interface TlDefinition {
  readonly kind: 'class' | 'method';
  readonly name: string;
  readonly id: number;
  /** Result type of a method; the type a constructor belongs to. */
  readonly type: string;
  readonly typeModifiers?: { readonly isVector?: boolean };
  readonly arguments: readonly TlParameter[];
}

/** The API's layer and everything defined in it and in MTProto itself. */
export interface TlDefinitions {
  readonly layer: number;
  readonly entries: readonly TlDefinition[];
}

/** Reads the schema files of the installed `@mtcute/tl`; its code is not used, so its dependencies are not needed. */
export function loadDefinitions(): TlDefinitions {
  const require = createRequire(import.meta.url);
  const directory = join(require.resolve('@mtcute/tl/package.json'), '..');
  const api = JSON.parse(readFileSync(join(directory, 'api-schema.json'), 'utf8')) as {
    readonly l: number;
    readonly e: readonly TlDefinition[];
  };
  const mtproto = JSON.parse(readFileSync(join(directory, 'mtp-schema.json'), 'utf8')) as readonly TlDefinition[];
  return { layer: api.l, entries: [...api.e, ...mtproto] };
}
