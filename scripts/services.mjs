/**
 * `npm run services`: runs PostgreSQL, NATS and Ceph RGW (an S3 server) on local ports, for tests
 * and for trying the scale-out profile. Not for production. The script installs missing Debian
 * packages if it runs as root. Each workspace has its own data folder, in memory or in the system's
 * temporary folder, and `stop` deletes the folder.
 *
 * `services.mjs start [postgres] [nats] [s3] | stop | status | env`
 */
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from './ready.mjs';

/**
 * Hash of the workspace folder. The ports and the data folder derive from this hash, so that
 * workspaces don't share them.
 */
const hash = createHash('sha256')
  .update(process.env.FIXPOINT_SERVICES ?? root)
  .digest();
/**
 * Folder for the data: in memory if enough memory is free, because tests create hundreds of
 * databases and need no durability.
 */
export const fastFolder = () => {
  const memory = '/dev/shm';
  if (!existsSync(memory)) return tmpdir();
  const { bavail, bsize } = statfsSync(memory);
  return bavail * bsize > 4e9 ? memory : tmpdir();
};
const folder =
  process.env.FIXPOINT_SERVICES ?? join(fastFolder(), `fixpoint-services-${hash.toString('hex', 0, 4)}`);
const base = 15_000 + (hash.readUInt16BE(4) % 700) * 20;
const isRoot = process.getuid?.() === 0;
const KEYS = { access: 'fixpoint', secret: 'only-for-tests-on-this-machine' };
export const BUCKET = 'fixpoint';

const sh = (command, args, options = {}) =>
  spawnSync(command, args, { encoding: 'utf8', timeout: 300_000, ...options });

function must(what, command, args, options) {
  const done = sh(command, args, options);
  if (done.status === 0) return done.stdout;
  const last = `${done.stderr ?? ''}${done.stdout ?? ''}`.trim().split('\n').at(-1);
  throw new Error(`${what}: ${done.error?.message ?? last}`);
}

const pause = (ms) => new Promise((done) => setTimeout(done, ms));

const listens = (port) =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(socket.destroy() && true));
    socket.once('error', () => resolve(false));
  });

async function until(what, isTrue, log) {
  for (let i = 0; i < 1800; i += 1) {
    if (await isTrue()) return;
    await pause(100);
  }
  const last = log && existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n').at(-1) : '';
  throw new Error(`${what} has not answered for three minutes. ${last}`);
}

const pathOf = (name) =>
  [
    ...(process.env.PATH ?? '').split(':'),
    '/usr/sbin',
    '/usr/bin',
    ...(existsSync('/usr/lib/postgresql')
      ? readdirSync('/usr/lib/postgresql')
          .sort()
          .reverse()
          .map((version) => `/usr/lib/postgresql/${version}/bin`)
      : []),
  ]
    .map((each) => join(each, name))
    .find((path) => existsSync(path));

let listsAreFresh = false;
/**
 * Returns the paths of programs. Installs missing programs.
 * @throws Error with one line that says what to do
 */
function programs(what, names, packages) {
  const missing = () => names.filter((name) => pathOf(name) === undefined);
  if (missing().length > 0) {
    if (!isRoot || !existsSync('/usr/bin/apt-get'))
      throw new Error(`${what} is not installed. Debian: sudo apt-get install ${packages.join(' ')}`);
    process.stderr.write(`Installing ${what} ...\n`);
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' };
    if (!listsAreFresh) sh('apt-get', ['update', '-qq'], { env });
    listsAreFresh = true;
    sh('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...packages], {
      env,
      timeout: 300_000,
    });
    if (missing().length > 0)
      throw new Error(`could not install ${what} with apt-get install ${packages.join(' ')}`);
  }
  return names.map(pathOf);
}

/** Starts a program that keeps running when this process exits. */
function launch(name, command, args, options = {}) {
  const log = openSync(join(folder, `${name}.log`), 'a', 0o600);
  const child = spawn(command, args, { detached: true, stdio: ['ignore', log, log], ...options });
  child.unref();
  writeFileSync(join(folder, `${name}.pid`), String(child.pid));
}

function endOf(name, signal = 'SIGTERM') {
  const file = join(folder, `${name}.pid`);
  if (!existsSync(file)) return;
  try {
    process.kill(Number(readFileSync(file, 'utf8')), signal);
  } catch (cause) {
    if (cause.code !== 'ESRCH') throw cause;
  }
  rmSync(file);
}

/** PostgreSQL refuses to run as root, so its commands run as `postgres`. */
const asPostgres = (command, args) =>
  isRoot ? ['runuser', ['-u', 'postgres', '--', command, ...args]] : [command, args];

const postgres = {
  port: base,
  env: () => ({ FIXPOINT_TEST_POSTGRES: `postgres://postgres@127.0.0.1:${base}/postgres` }),
  async start() {
    const [initdb, control] = programs('PostgreSQL', ['initdb', 'pg_ctl'], ['postgresql-15']);
    const data = join(folder, 'postgres');
    mkdirSync(data, { recursive: true, mode: 0o700 });
    if (isRoot) must('PostgreSQL', 'chown', ['postgres', data]);
    const options = { cwd: data };
    if (!existsSync(join(data, 'PG_VERSION')))
      must(
        'PostgreSQL',
        ...asPostgres(initdb, ['-A', 'trust', '-U', 'postgres', '-E', 'UTF8', '-D', data]),
        options,
      );
    const flags = `-p ${base} -c listen_addresses=127.0.0.1 -c unix_socket_directories= -c max_connections=300`;
    const log = join(data, 'log');
    const args = ['-D', data, '-l', log, '-w', '-t', '180', '-o', flags, 'start'];
    must('PostgreSQL', ...asPostgres(control, args), { ...options, stdio: ['ignore', 'ignore', 'pipe'] });
  },
  stop(mode = 'fast') {
    const data = join(folder, 'postgres');
    if (existsSync(join(data, 'postmaster.pid')))
      sh(...asPostgres(pathOf('pg_ctl'), ['-D', data, '-m', mode, '-w', 'stop']), { cwd: data });
  },
};

const nats = {
  port: base + 1,
  env: () => ({ FIXPOINT_TEST_NATS: `nats://127.0.0.1:${base + 1}` }),
  async start() {
    const [server] = programs('NATS', ['nats-server'], ['nats-server']);
    launch('nats', server, ['-a', '127.0.0.1', '-p', String(base + 1)]);
  },
  stop: () => endOf('nats'),
};

const ceph = (...args) => must('Ceph', pathOf('ceph'), ['-c', join(folder, 'ceph/ceph.conf'), ...args]);

const s3 = {
  port: base + 2,
  env: () => ({
    FIXPOINT_TEST_S3: `http://127.0.0.1:${base + 2}`,
    FIXPOINT_TEST_S3_KEYS: `${KEYS.access}:${KEYS.secret}`,
  }),
  async start() {
    const packages = ['radosgw', 'ceph-mon', 'ceph-osd', 'ceph-common'];
    const names = ['ceph-mon', 'ceph-osd', 'radosgw', 'radosgw-admin', 'ceph', 'ceph-authtool', 'monmaptool'];
    const [mon, osd, gateway, admin, , authtool, monmaptool] = programs('Ceph RGW', names, packages);
    const home = join(folder, 'ceph');
    // RGW keeps objects in memory here, so files of an earlier run are useless.
    rmSync(home, { recursive: true, force: true });
    for (const each of ['mon', 'osd', 'rgw', 'run']) mkdirSync(join(home, each), { recursive: true });
    const conf = join(home, 'ceph.conf');
    writeFileSync(conf, cephConf(home));
    const keyring = join(home, 'keyring');
    const caps = (name) => ['--gen-key', '-n', name, '--cap', 'mon', 'allow *', '--cap', 'osd', 'allow *'];
    must('Ceph', authtool, [
      '--create-keyring',
      keyring,
      '--gen-key',
      '-n',
      'mon.',
      '--cap',
      'mon',
      'allow *',
    ]);
    for (const name of ['client.admin', 'client.rgw', 'osd.0'])
      must('Ceph', authtool, [keyring, ...caps(name)]);
    chmodSync(keyring, 0o600);
    const map = join(home, 'monmap');
    const address = ['--addv', 'a', `[v2:127.0.0.1:${base + 3}]`];
    must('Ceph', monmaptool, ['--create', ...address, '--fsid', FSID, map]);
    must('Ceph', mon, ['--mkfs', '-i', 'a', '-c', conf, '--monmap', map, '--keyring', keyring]);
    launch('ceph-mon', mon, ['-f', '-i', 'a', '-c', conf]);
    await until('Ceph mon', () => listens(base + 3), join(folder, 'ceph-mon.log'));
    ceph('osd', 'new', OSD);
    must('Ceph', osd, ['--mkfs', '-i', '0', '-c', conf, '--osd-uuid', OSD]);
    launch('ceph-osd', osd, ['-f', '-i', '0', '-c', conf]);
    await until('Ceph osd', () => /1 up/.test(ceph('osd', 'stat')), join(folder, 'ceph-osd.log'));
    launch('radosgw', gateway, ['-f', '-n', 'client.rgw', '-c', conf]);
    await until('Ceph RGW', () => listens(base + 2), join(folder, 'radosgw.log'));
    const user = ['user', 'create', '--uid=fixpoint', '--display-name=fixpoint'];
    const keys = [`--access-key=${KEYS.access}`, `--secret-key=${KEYS.secret}`];
    must('Ceph RGW', admin, ['-c', conf, '-n', 'client.rgw', ...user, ...keys]);
  },
  stop() {
    for (const name of ['radosgw', 'ceph-osd', 'ceph-mon']) endOf(name, 'SIGKILL');
  },
};

const FSID = '8d7e1d7a-0f53-4c3d-9df6-0a4a5f0a7a11';
const OSD = '0b8f8f1e-6d6e-4d63-8a3b-7b6a2d3f9c55';
const cephConf = (home) => `[global]
fsid = ${FSID}
mon host = [v2:127.0.0.1:${base + 3}]
public addr = 127.0.0.1
cluster addr = 127.0.0.1
keyring = ${home}/keyring
run dir = ${home}/run
admin socket = ${home}/run/$name.asok
log file = ${home}/run/$name.log
crash dir = ${home}/run
osd pool default size = 1
osd pool default min size = 1
osd pool default pg num = 1
osd crush chooseleaf type = 0
mon allow pool size one = true
mon data avail crit = 1
mon data avail warn = 2
auth allow insecure global id reclaim = false
ms bind port min = ${base + 4}
ms bind port max = ${base + 19}
ms bind msgr1 = false
[mon.a]
mon data = ${home}/mon
[osd.0]
osd objectstore = memstore
osd data = ${home}/osd
memstore device bytes = 2147483648
[client.rgw]
rgw data = ${home}/rgw
rgw frontends = beast endpoint=127.0.0.1:${base + 2}
rgw enable ops log = false
`;

export const services = { postgres, nats, s3 };

/**
 * Starts services that aren't running. Returns the environment for tests, and one line for each
 * service that is unavailable.
 */
export async function startServices(wanted = Object.keys(services)) {
  mkdirSync(folder, { recursive: true, mode: 0o711 });
  const env = {};
  const missing = [];
  for (const name of wanted) {
    const service = services[name];
    try {
      if (service === undefined) throw new Error('unknown service: use postgres, nats or s3');
      if (!(await listens(service.port))) {
        await service.start();
        await until(name, () => listens(service.port));
      }
      Object.assign(env, service.env());
    } catch (cause) {
      missing.push(`${name}: ${cause.message}`);
    }
  }
  return { env, missing };
}

/** Returns whether a service listens. */
export async function servicesRun() {
  const found = await Promise.all(Object.values(services).map(({ port }) => listens(port)));
  return found.includes(true);
}

/** Stops the services and removes their data. */
export function stopServices() {
  for (const service of Object.values(services)) service.stop();
  rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
}

const shown = (env) =>
  Object.entries(env)
    .map(([name, value]) => `export ${name}='${value}'\n`)
    .join('');

async function main([command = 'start', ...names]) {
  const wanted = names.length > 0 ? names : undefined;
  if (command === 'stop') return stopServices();
  if (command === 'start') {
    const { env, missing } = await startServices(wanted);
    process.stdout.write(shown(env));
    for (const line of missing) process.stderr.write(`${line}\n`);
    process.exitCode = missing.length > 0 ? 1 : 0;
    return;
  }
  if (command !== 'status' && command !== 'env') {
    process.stderr.write('Usage: npm run services -- start [postgres] [nats] [s3] | stop | status | env\n');
    process.exitCode = 2;
    return;
  }
  for (const [name, service] of Object.entries(services)) {
    const runs = await listens(service.port);
    if (command === 'env') process.stdout.write(runs ? shown(service.env()) : '');
    else process.stdout.write(`${name}: ${runs ? `127.0.0.1:${service.port}` : 'not running'}\n`);
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await main(process.argv.slice(2));
