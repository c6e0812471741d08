import { execFileSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { Wire } from './wire.js';

/** TEST_NAMESPACES=off leaves them out where they would be permitted. */
const WANTS_NAMESPACES = process.env['TEST_NAMESPACES'] !== 'off';

/** The network of a host of its own. */
interface Namespace {
  readonly name: string;
  /** The test's end of the cable, and the host's. */
  readonly here: string;
  readonly there: string;
}

/**
 * A machine as far as its network goes: what it reaches, it reaches over a cable that can be cut. It has a network namespace of its own
 * where the system lets us make one (root on Linux); else the cable is only the connections that its processes were given.
 */
export class TestHost {
  private readonly wires: Wire[] = [];

  private constructor(private readonly namespace: Namespace | undefined) {}

  static create(): TestHost {
    return new TestHost(WANTS_NAMESPACES ? makeNamespace() : undefined);
  }

  get hasNamespace(): boolean {
    return this.namespace !== undefined;
  }

  /** Where its processes listen. */
  get address(): string {
    return this.namespace?.there ?? '127.0.0.1';
  }

  /** What runs a process on it. */
  get wrapper(): readonly string[] {
    return this.namespace === undefined ? [] : ['ip', 'netns', 'exec', this.namespace.name];
  }

  /** Under which URL it reaches what listens on the loopback of the test. */
  async reach(target: string): Promise<string> {
    const wire = new Wire(new URL(target));
    this.wires.push(wire);
    return wire.open(0, this.namespace?.here);
  }

  /** From now on nothing comes from it and nothing gets to it, and nobody is told. */
  cut(): void {
    if (this.namespace === undefined) {
      for (const wire of this.wires) wire.freeze(true);
    } else {
      ip('link', 'set', this.namespace.name, 'down');
    }
  }

  /** Takes it away; its processes have ended. */
  remove(): void {
    for (const wire of this.wires.splice(0)) wire.cut();
    if (this.namespace !== undefined) ip('netns', 'del', this.namespace.name);
  }
}

function ip(...words: readonly string[]): void {
  execFileSync('ip', words, { stdio: ['ignore', 'ignore', 'pipe'] });
}

/** @returns undefined where that is not permitted, or there is no iproute2 */
function makeNamespace(): Namespace | undefined {
  // Of an interface, too: 15 characters at most.
  const name = `tgc${process.pid % 100_000}-${randomInt(1_000)}`;
  const net = `10.${randomInt(200, 250)}.${randomInt(256)}`;
  const first = randomInt(60) * 4;
  const [here, there] = [`${net}.${first + 1}`, `${net}.${first + 2}`];
  try {
    ip('netns', 'add', name);
  } catch {
    return undefined;
  }
  try {
    ip('link', 'add', name, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', name);
    ip('addr', 'add', `${here}/30`, 'dev', name);
    ip('link', 'set', name, 'up');
    for (const words of [
      ['addr', 'add', `${there}/30`, 'dev', 'eth0'],
      ['link', 'set', 'eth0', 'up'],
      ['link', 'set', 'lo', 'up'],
    ]) {
      ip('-n', name, ...words);
    }
    return { name, here, there };
  } catch {
    ip('netns', 'del', name);
    return undefined;
  }
}
