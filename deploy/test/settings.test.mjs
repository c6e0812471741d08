import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { parse } from 'yaml';
import { Env } from '../../backend/dist/config/env.js';
import { AppConfig, VARIABLES } from '../../backend/dist/config/app-config.js';
import { at } from '../launch/lib/project.mjs';

const DEFAULTS = new Env();
/** Defaults that depend on other settings and so stand in words. */
const IN_WORDS = [
  'LISTEN_ADDR',
  'UPLOADS_DIR',
  'WORKER_ID',
  'WORKER_ADVERTISE',
  'CONSOLE_DIR',
  'TDLIB_PATH',
  'DATABASE_URL',
];
/** Secrets that compose demands, with values that are valid. */
const SECRETS = {
  POSTGRES_PASSWORD: 'a'.repeat(64),
  API_TOKEN: 'b'.repeat(64),
  CLUSTER_TOKEN: 'c'.repeat(64),
  MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
};

const read = (file) => readFileSync(at(file), 'utf8');
const compose = parse(read('docker-compose.yml'), { merge: true });

/** NAME → value of an env file; what is commented out counts as well, since it is meant to be uncommented. */
function exampleVariables() {
  return new Map(
    [...read('.env.example').matchAll(/^#?([A-Z][A-Z0-9_]*)=(.*)$/gm)].map(([, name, value]) => [name, value]),
  );
}

/** NAME → default of the table in docs/CONFIGURATION.md. */
function documentedVariables() {
  const rows = read('docs/CONFIGURATION.md').matchAll(/^\| `([A-Z][A-Z0-9_]*)` *\|[^|]*\| ([^|]*?) *\|/gm);
  return new Map([...rows].map(([, name, value]) => [name, value]));
}

/** What compose would put in place of ${NAME}, ${NAME:-default} and ${NAME:?message}. */
function substitute(text, env) {
  return text.replace(/\$\{(\w+)(?::([-?])([^}]*))?\}/g, (_, name, kind, rest) => {
    if (env[name]) return env[name];
    if (kind === '?') throw new Error(`${name}: ${rest}`);
    return rest ?? '';
  });
}

const environmentOf = (service, env) =>
  Object.fromEntries(Object.entries(compose.services[service].environment).map(([k, v]) => [k, substitute(v, env)]));

describe('the settings', () => {
  it('all stand in .env.example, and nothing else does but what compose reads', () => {
    const names = [...exampleVariables().keys()];
    const ofCompose = [...read('docker-compose.yml').matchAll(/\$\{(\w+)/g)].map(([, name]) => name);
    assert.deepEqual(
      VARIABLES.filter((name) => !names.includes(name)),
      [],
    );
    assert.deepEqual(
      names.filter((name) => !VARIABLES.includes(name) && !ofCompose.includes(name)),
      [],
    );
    assert.deepEqual(
      ofCompose.filter((name) => !names.includes(name)),
      [],
    );
  });

  it('have in .env.example the defaults that the backend has', () => {
    for (const [name, value] of exampleVariables()) {
      if (DEFAULTS[name] !== undefined) assert.equal(value, String(DEFAULTS[name]), name);
    }
  });

  it('all stand in docs/CONFIGURATION.md with the defaults that the backend has', () => {
    const documented = documentedVariables();
    assert.deepEqual([...documented.keys()].sort(), [...VARIABLES].sort());
    for (const [name, value] of documented) {
      if (DEFAULTS[name] !== undefined) assert.equal(value, `\`${DEFAULTS[name]}\``, name);
      else if (!IN_WORDS.includes(name))
        assert.ok(
          ['none', 'required', 'generated'].some((word) => value.includes(word)),
          name,
        );
    }
  });
});

describe('docker-compose.yml', () => {
  it('gives gateway and worker an environment that the backend accepts', () => {
    assert.equal(AppConfig.fromEnv(environmentOf('gateway', SECRETS)).role, 'gateway');
    assert.equal(AppConfig.fromEnv(environmentOf('worker', SECRETS)).role, 'worker');
  });

  it('passes on every setting of a role', () => {
    const set = new Set(['gateway', 'worker'].flatMap((service) => Object.keys(compose.services[service].environment)));
    // A container has one console (its own image) and finds its own name and address.
    const left = ['CONSOLE_DIR', 'WORKER_ID', 'WORKER_ADVERTISE'];
    assert.deepEqual(
      VARIABLES.filter((name) => !set.has(name)),
      left.sort(),
    );
  });

  for (const name of Object.keys(SECRETS)) {
    it(`refuses to start without ${name}`, () => {
      const { [name]: _, ...others } = SECRETS;
      assert.throws(
        () => Object.keys(compose.services).map((service) => environmentOf(service, others)),
        new RegExp(name),
      );
    });
  }

  it('keeps the master key from the gateway and the API token from the workers', () => {
    assert.ok(!('MASTER_KEY' in compose.services.gateway.environment));
    assert.ok(!('API_TOKEN' in compose.services.worker.environment));
  });

  it('runs two workers and gives them half a minute to hand over', () => {
    assert.equal(compose.services.worker.deploy.replicas, 2);
    assert.equal(compose.services.worker.stop_grace_period, '30s');
  });

  it('pins every image and every base image to a version', () => {
    const images = Object.values(compose.services).map(({ image }) => image);
    const bases = readdirSync(at('deploy'))
      .filter((file) => file.endsWith('.Dockerfile'))
      .map((file) => `deploy/${file}`)
      .flatMap((file) => [...read(file).matchAll(/^FROM (\S+:\S+)/gm)].map(([, image]) => image));
    for (const image of [...images, ...bases]) assert.match(image, /:\d+\.\d+(\.\d+)?(-\w+)*$/);
  });
});
