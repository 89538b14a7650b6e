/** Checks the files for containers. `deploy/try.mjs` runs the steps of the Dockerfile by night. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { readDockerfile, variablesOf } from '../../deploy/dockerfile.mjs';
import { configFrom } from '../../packages/cloud/src/index.ts';

interface Service {
  readonly image: string;
  readonly build?: { readonly context: string; readonly dockerfile: string };
  readonly environment?: Readonly<Record<string, string>>;
  readonly volumes?: readonly string[];
  readonly networks?: readonly string[];
  readonly ports?: readonly string[];
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly healthcheck?: object;
  readonly read_only?: boolean;
  readonly cap_drop?: readonly string[];
  readonly tmpfs?: readonly string[];
}

interface Compose {
  readonly services: Readonly<Record<string, Service>>;
  readonly volumes: Readonly<Record<string, null>>;
  readonly networks?: Readonly<Record<string, { readonly internal?: boolean } | null>>;
}

const instructions = readDockerfile(readFileSync('deploy/Dockerfile', 'utf8'));
const lastStage = instructions.slice(instructions.findLastIndex(({ name }) => name === 'FROM'));
const ofLastStage = (name: string) => lastStage.filter((each) => each.name === name).map(({ text }) => text);
const imageEnv = Object.assign({}, ...ofLastStage('ENV').map(variablesOf)) as Record<string, string>;

/** Replaces variables as Compose does: `${NAME:-default}` and `${NAME:?why}`. */
function interpolated(text: string, env: Readonly<Record<string, string>>): string {
  return text.replace(/\$\$|\$\{(\w+)(?::([-?])([^}]*))?\}/g, (all, name, how, rest) => {
    if (all === '$$') return '$';
    const value = env[name];
    if (value) return value;
    if (how === '-') return rest;
    throw new Error(`${name}: ${rest ?? 'not set'}`);
  });
}

const textOf = (file: string) => readFileSync(join('deploy', file), 'utf8');
const withoutComments = (text: string) => text.replace(/^\s*#.*$/gm, '');
const readCompose = (file: string, env: Readonly<Record<string, string>>): Compose =>
  parse(interpolated(withoutComments(textOf(file)), env), { merge: true });

const VALUES = {
  FIXPOINT_SITE: 'cloud.example',
  POSTGRES_PASSWORD: 'secret',
  S3_ACCESS_KEY: 'access-key',
  S3_SECRET_KEY: 'secret-key',
};
const FILES = [
  ['compose.yaml', readCompose('compose.yaml', {})],
  ['compose.scale.yaml', readCompose('compose.scale.yaml', VALUES)],
] as const;
const isOurs = ({ image }: Service) => image === 'fixpoint-server';
const variablesOfService = ({ environment }: Service) => ({ ...imageEnv, ...environment });

describe('the Dockerfile', () => {
  test('builds in one stage, and copies only the bundle to an image of a pinned version', () => {
    const bases = instructions.filter(({ name }) => name === 'FROM').map(({ text }) => text.split(' ')[0]);
    expect(bases.length).toBe(2);
    for (const base of bases) expect(base).toMatch(/^node:\d+-bookworm-slim$/);
    const copies = lastStage.filter(({ name }) => name === 'COPY');
    expect(copies).toEqual([{ name: 'COPY', flags: { from: 'build' }, text: '/bundle /opt/fixpoint' }]);
  });

  test('runs the server as a user without rights, with a health check and volumes for its data', () => {
    expect(ofLastStage('USER')).toEqual(['1000:1000']);
    const [health = ''] = ofLastStage('HEALTHCHECK');
    expect(health).toContain('/readyz');
    const volumes = JSON.parse(ofLastStage('VOLUME')[0] ?? '');
    expect(configFrom(imageEnv)).toMatchObject({ host: '0.0.0.0', port: 7370, data: '/var/lib/fixpoint' });
    expect(volumes).toContain('/var/lib/fixpoint');
    expect(ofLastStage('EXPOSE')).toEqual(['7370']);
    expect(ofLastStage('ENTRYPOINT')).toEqual(['["fixpoint"]']);
  });

  test('sends the builder only existing files, and no build results', () => {
    const lines = textOf('Dockerfile.dockerignore').split('\n');
    const sent = lines.filter((line) => line.startsWith('!')).map((line) => line.slice(1));
    expect(sent.length).toBeGreaterThan(10);
    expect(sent.filter((path) => !existsSync(path))).toEqual([]);
    expect(lines).toEqual(expect.arrayContaining(['*', '**/node_modules', '**/dist']));
  });
});

describe.each(FILES)('%s', (_file, { services, volumes, networks = {} }) => {
  test('names only services, volumes, networks and files that exist', () => {
    const used = Object.values(services).flatMap(({ volumes: each = [] }) =>
      each.map((one) => one.split(':')[0] ?? ''),
    );
    const named = used.filter((one) => !one.startsWith('.'));
    expect([...new Set(named)].sort()).toEqual(Object.keys(volumes).sort());
    for (const path of used.filter((one) => one.startsWith('.')))
      expect(existsSync(join('deploy', path)), path).toBe(true);
    for (const [name, service] of Object.entries(services)) {
      for (const network of service.networks ?? []) expect(Object.keys(networks), name).toContain(network);
      for (const [other, { condition }] of Object.entries(service.depends_on ?? {})) {
        const needed = services[other];
        expect(needed, `${name} needs ${other}`).toBeDefined();
        if (condition === 'service_healthy' && needed !== undefined)
          expect(isOurs(needed) || needed.healthcheck !== undefined, `${other} has a health check`).toBe(
            true,
          );
      }
      if (service.build !== undefined)
        expect(existsSync(join('deploy', service.build.context, service.build.dockerfile))).toBe(true);
    }
  });

  test('runs the server with a read-only root folder, without capabilities, and with valid settings', () => {
    const ours = Object.values(services).filter(isOurs);
    expect(ours.length).toBeGreaterThan(0);
    for (const service of ours) {
      expect(service).toMatchObject({ read_only: true, cap_drop: ['ALL'], tmpfs: ['/tmp'] });
      expect(service.volumes).toContain('data:/var/lib/fixpoint');
      expect(configFrom(variablesOfService(service)).data).toBe('/var/lib/fixpoint');
    }
  });

  test('pins the images of others to a version', () => {
    const others = Object.values(services).filter((service) => !isOurs(service));
    for (const { image } of others) expect(image).toMatch(/:(RELEASE\.)?\d[\w.-]*$/);
  });
});

describe('compose.scale.yaml', () => {
  const { services, networks } = FILES[1][1];

  test('runs three equal gateways on shared stores behind one proxy', () => {
    const gateways = Object.entries(services).filter(([, service]) => isOurs(service));
    expect(gateways.map(([name]) => name)).toEqual(['gateway-1', 'gateway-2', 'gateway-3']);
    for (const [, gateway] of gateways)
      expect(configFrom(variablesOfService(gateway))).toMatchObject({
        publicUrl: 'https://cloud.example',
        proxyHops: 1,
        databaseUrl: 'postgres://fixpoint:secret@postgres/fixpoint',
        bucket: { url: 'http://s3:9000/fixpoint', accessKeyId: 'access-key', secretAccessKey: 'secret-key' },
        bus: { kind: 'nats', urls: ['nats://nats:4222'] },
      });
    const { FIXPOINT_UPSTREAM = '' } = services['caddy']?.environment ?? {};
    expect(FIXPOINT_UPSTREAM.split(' ')).toEqual(gateways.map(([name]) => `${name}:7370`));
  });

  test('lets only the proxy accept connections from other machines', () => {
    expect(
      Object.entries(services)
        .filter(([, { ports }]) => ports !== undefined)
        .map(([name]) => name),
    ).toEqual(['caddy']);
    expect(networks?.['back']?.internal).toBe(true);
    for (const name of ['postgres', 's3', 'bucket', 'nats'])
      expect(services[name]?.networks, name).toEqual(['back']);
  });

  test.each(Object.keys(VALUES))("doesn't start without %s", (name) => {
    expect(() => readCompose('compose.scale.yaml', { ...VALUES, [name]: '' })).toThrow(name);
  });
});
