import fc from 'fast-check';
import type { TdField, TdSchema } from '../../src/telegram/td-schema.js';

/** Real things that random parameters may name, so that they get further than a refusal. */
export interface KnownThings {
  readonly chatIds: readonly number[];
  readonly usernames: readonly string[];
  /** A file within the uploads. */
  readonly upload: string;
  readonly uploadsDir: string;
}

/** One request: the text of its body, which need not be JSON. */
export interface FuzzCase {
  readonly route: 'call' | 'execute';
  readonly body: string;
}

type Generate = fc.GeneratorValue;

const MAX_DEPTH = 4;
/** What JSON.parse makes something else of, or what TDLib reads in its own way. */
const ODD_VALUES = [
  'null',
  'true',
  '-0',
  '1e400',
  '-1e400',
  '1e-400',
  '1.5',
  '9007199254740993',
  '-9223372036854775808',
  '123456789012345678901234567890',
  '"\\ud800"',
  '"a\\udfffb"',
  '"\\u0000"',
  '""',
  '{}',
  '[]',
  '[[]]',
  '{"@type":7}',
  '{"@type":-1632438063}',
  '{"@type":null}',
  '{"@type":"\\ud800"}',
  '{"@type":{"@type":"inputFileLocal"}}',
  '{"__proto__":{"@type":"inputFileLocal","path":"/etc/passwd"}}',
  '{"constructor":{"prototype":{"@type":"inputFileGenerated"}}}',
  `${'['.repeat(120)}${']'.repeat(120)}`,
  `${'{"a":'.repeat(95)}1${'}'.repeat(95)}`,
];
const ODD_KEYS = [
  '@type',
  '\\u0040type',
  '@extra',
  '@client_id',
  '__proto__',
  'constructor',
  'path',
  'chat_id',
  '\\ud800',
  '',
  'é',
];

/** Makes requests: of td_api's methods with parameters of their types, most of them right, and of anything. */
export class TdCases {
  private readonly fields = new Map<string, readonly TdField[]>();
  private readonly constructors = new Map<string, readonly string[]>();
  private readonly methods: TdSchema['methods'];
  private readonly typeNames: readonly string[];

  constructor(
    schema: TdSchema,
    private readonly known: KnownThings,
  ) {
    this.methods = schema.methods;
    for (const { name, fields, one_of: oneOf } of schema.types) {
      if (fields !== undefined) this.fields.set(name, fields);
      if (oneOf !== undefined) this.constructors.set(name, oneOf);
    }
    this.typeNames = [...this.fields.keys()];
  }

  /** A call of this method. */
  ofMethod(method: TdSchema['methods'][number]): fc.Arbitrary<FuzzCase> {
    return fc.gen().map((g) => {
      const params = this.object(g, method.parameters, undefined, 0);
      const route = method.synchronous && g(fc.boolean) ? 'execute' : 'call';
      return { route, body: `{"method":${JSON.stringify(method.name)},"params":${params}}` };
    });
  }

  /** Anything that can be sent. */
  anything(): fc.Arbitrary<FuzzCase> {
    return fc.gen().map((g) => {
      const route = g(fc.constantFrom, 'call' as const, 'execute' as const);
      return { route, body: this.body(g) };
    });
  }

  private body(g: Generate): string {
    switch (g(fc.nat, 9)) {
      case 0:
        return g(fc.string);
      case 1:
        return this.junk(g, 0);
      case 2: {
        const members = [`"method":${this.methodName(g)}`, `"params":${this.junk(g, 0)}`];
        return `{${[...members, ...(g(fc.boolean) ? members : []), this.member(g, 0)].join()}}`;
      }
      default:
        return `{"method":${this.methodName(g)},"params":${this.junkObject(g, 0)}}`;
    }
  }

  private methodName(g: Generate): string {
    switch (g(fc.nat, 9)) {
      case 0:
        return this.junk(g, 2);
      case 1:
        return JSON.stringify(` ${this.pick(g, this.methods).name}`);
      case 2:
        return JSON.stringify(g(fc.string));
      case 3:
        return JSON.stringify(this.pick(g, this.typeNames));
      default:
        return JSON.stringify(this.pick(g, this.methods).name);
    }
  }

  private object(g: Generate, fields: readonly TdField[], type: string | undefined, depth: number): string {
    const members = fields
      .filter(() => g(fc.nat, 9) > 0)
      .map(({ name, type: of }) => `"${name}":${this.value(g, of, depth + 1)}`);
    const types = type === undefined ? [] : [`"@type":"${type}"`];
    if (g(fc.nat, 14) === 0) members.push(this.member(g, depth + 1));
    if (g(fc.nat, 14) === 0 && type !== undefined) types.push(`"@type":"inputFileLocal"`, '"path":"/etc/passwd"');
    return `{${[...types, ...members].join()}}`;
  }

  private value(g: Generate, type: string, depth: number): string {
    if (g(fc.nat, 14) === 0) return this.junk(g, depth);
    const vector = /^vector<(.*)>$/.exec(type)?.[1];
    if (vector !== undefined) {
      return `[${Array.from({ length: g(fc.nat, 2) }, () => this.value(g, vector, depth)).join()}]`;
    }
    switch (type) {
      case 'string':
        return this.string(g);
      case 'boolean':
        return String(g(fc.boolean));
      case 'number':
        return this.number(g);
      case 'int64':
        return JSON.stringify(String(g(fc.bigInt, { min: -(2n ** 63n), max: 2n ** 63n - 1n })));
      case 'InputFile':
        return this.file(g);
      default:
        return this.typed(g, type, depth);
    }
  }

  private typed(g: Generate, type: string, depth: number): string {
    const choices = this.constructors.get(type);
    const name = choices === undefined ? type : this.pick(g, choices);
    const fields = this.fields.get(name);
    if (fields === undefined || depth > MAX_DEPTH) return 'null';
    return this.object(g, fields, name, depth);
  }

  private string(g: Generate): string {
    switch (g(fc.nat, 5)) {
      case 0:
        return JSON.stringify(this.pick(g, this.known.usernames));
      case 1:
        return JSON.stringify(g(fc.string, { unit: 'binary' }));
      case 2:
        return this.path(g);
      default:
        return JSON.stringify(g(fc.string));
    }
  }

  private number(g: Generate): string {
    switch (g(fc.nat, 3)) {
      case 0:
        return String(this.pick(g, this.known.chatIds));
      case 1:
        return String(g(fc.maxSafeInteger));
      case 2:
        return String(g(fc.integer, { min: -2, max: 100 }));
      default:
        return JSON.stringify(String(g(fc.integer)));
    }
  }

  private file(g: Generate): string {
    const path = this.path(g);
    return this.pick(g, [
      `{"@type":"inputFileId","id":${this.number(g)}}`,
      `{"@type":"inputFileRemote","id":${this.string(g)}}`,
      `{"@type":"inputFileLocal","path":${JSON.stringify(this.known.upload)}}`,
      `{"@type":"inputFileLocal","path":${path}}`,
      `{"path":${path},"@type":"inputFileLocal"}`,
      `{"@type":"inputFileLocal","path":${JSON.stringify(this.known.upload)},"path":${path}}`,
      `{"@type":"inputFileId","@type":"inputFileLocal","path":${path}}`,
      `{"@type":"inputFileLocal","@type":"inputFileId","path":${path}}`,
      `{"\\u0040type":"inputFileLoca\\u006c","path":${path}}`,
      `{"@type":" inputFileLocal","path":${path}}`,
      `{"@type":"InputFileLocal","path":${path}}`,
      `{"@type":"inputFileGenerated","original_path":${path},"conversion":"#url#","expected_size":1}`,
      `{"@type":"inputFileLocal"}`,
      `{"@type":"inputFileLocal","path":{"@type":"x"}}`,
    ]);
  }

  private path(g: Generate): string {
    const { upload, uploadsDir } = this.known;
    return JSON.stringify(
      this.pick(g, [
        '/etc/passwd',
        'etc/passwd',
        'file:///etc/passwd',
        `${uploadsDir}/../../../../../../etc/passwd`,
        `${uploadsDir}/./x/../../secrets.json`,
        `${uploadsDir}-not/x`,
        uploadsDir,
        `${upload}\0/etc/passwd`,
        upload,
        '~/x',
        '',
      ]),
    );
  }

  private junk(g: Generate, depth: number): string {
    if (depth >= MAX_DEPTH) return this.pick(g, ODD_VALUES);
    switch (g(fc.nat, 7)) {
      case 0:
        return this.file(g);
      case 1:
        return `[${Array.from({ length: g(fc.nat, 3) }, () => this.junk(g, depth + 1)).join()}]`;
      case 2:
        return this.junkObject(g, depth + 1);
      case 3:
        return this.typed(g, this.pick(g, this.typeNames), depth + 1);
      case 4:
        return this.number(g);
      case 5:
        return this.string(g);
      default:
        return this.pick(g, ODD_VALUES);
    }
  }

  private junkObject(g: Generate, depth: number): string {
    return `{${Array.from({ length: g(fc.nat, 4) }, () => this.member(g, depth + 1)).join()}}`;
  }

  private member(g: Generate, depth: number): string {
    const key = g(fc.boolean) ? `"${this.pick(g, ODD_KEYS)}"` : JSON.stringify(g(fc.string));
    const value = g(fc.nat, 3) === 0 ? JSON.stringify(this.pick(g, this.methods).name) : this.junk(g, depth);
    return `${key}:${value}`;
  }

  private pick<T>(g: Generate, choices: readonly T[]): T {
    const choice = choices[g(fc.nat, choices.length - 1)];
    if (choice === undefined) throw new Error('nothing to choose from');
    return choice;
  }
}
