/**
 * `node deploy/try.mjs`: runs the Dockerfile without Docker, as far as that is possible. Instead of
 * its base image, each stage is a copy of this machine's root folder in memory. The script runs
 * each instruction, and then the server: as the user of the image, with a read-only root folder,
 * writable volumes, and the health check. Needs root, and Node 20.19 or later.
 *
 * Doesn't try the base images, and the services of the Compose files.
 */
import { spawn, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readDockerfile, variablesOf } from './dockerfile.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const context = dirname(here);
const INSIDE = 'FIXPOINT_TRY_INSIDE';
const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
/** Folder on which the memory is mounted, in the namespace of this process. */
const MEMORY = '/mnt';

const say = (line) => process.stdout.write(`${line}\n`);

function must(command, args, options = {}) {
  const done = spawnSync(command, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'], ...options });
  if (done.status !== 0)
    throw new Error(`${command} ${args.join(' ')}\n${done.error?.message ?? ''}${done.stdout}${done.stderr}`);
  return done.stdout;
}

/** Copies what Docker would send: files that `Dockerfile.dockerignore` doesn't exclude. */
function copyContext(to) {
  const lines = readFileSync(join(here, 'Dockerfile.dockerignore'), 'utf8').split('\n');
  const sent = new Set(lines.filter((line) => line.startsWith('!')).map((line) => line.slice(1)));
  const listed = must('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { cwd: context });
  const isSent = (path) => sent.has(path.split('/')[0]) && existsSync(join(context, path));
  for (const path of listed.split('\n').filter((each) => each !== '' && isSent(each)))
    cpSync(join(context, path), join(to, path), { recursive: true });
}

/** Creates a root folder in memory, on top of this machine's. */
function newRoot(name) {
  const at = join(MEMORY, name);
  for (const part of ['upper', 'work', 'root']) mkdirSync(join(at, part), { recursive: true });
  const layers = `lowerdir=/,upperdir=${at}/upper,workdir=${at}/work`;
  must('mount', ['-t', 'overlay', '-o', layers, 'overlay', join(at, 'root')]);
  must('mount', ['-t', 'proc', 'proc', join(at, 'root/proc')]);
  must('mount', ['--rbind', '/dev', join(at, 'root/dev')]);
  must('mount', ['-t', 'tmpfs', 'tmpfs', join(at, 'root/tmp')]);
  return join(at, 'root');
}

/** Runs the instructions of all stages. Returns the last stage. */
function build(instructions) {
  const stages = {};
  let stage;
  const actions = {
    FROM: ({ text }) => {
      const [, alias] = /\sAS\s+(\S+)/.exec(text) ?? [];
      const name = alias ?? `stage-${Object.keys(stages).length}`;
      stage = {
        root: newRoot(name),
        env: { PATH, HOME: '/root' },
        folder: '/',
        user: undefined,
        volumes: [],
      };
      stages[name] = stage;
    },
    ARG: ({ text }) => Object.assign(stage.env, variablesOf(text)),
    ENV: ({ text }) => Object.assign(stage.env, variablesOf(text)),
    USER: ({ text }) => (stage.user = text),
    WORKDIR: ({ text }) => {
      stage.folder = text;
      mkdirSync(join(stage.root, text), { recursive: true });
    },
    COPY: ({ flags, text }) => {
      const [from, to] = text.split(/\s+/);
      const target = join(stage.root, resolve(stage.folder, to));
      mkdirSync(target, { recursive: true });
      if (flags.from === undefined) copyContext(target);
      else must('cp', ['-a', `${stages[flags.from].root}${from}/.`, target]);
    },
    RUN: ({ text }) =>
      must('chroot', [stage.root, '/usr/bin/env', '-C', stage.folder, '/bin/sh', '-c', text], {
        env: stage.env,
      }),
    VOLUME: ({ text }) => (stage.volumes = JSON.parse(text)),
    ENTRYPOINT: ({ text }) => (stage.entry = JSON.parse(text)),
    CMD: ({ text }) => (stage.command = JSON.parse(text)),
    HEALTHCHECK: ({ text }) => (stage.health = JSON.parse(text.replace(/^CMD\s+/, ''))),
    EXPOSE: () => undefined,
    STOPSIGNAL: ({ text }) => (stage.signal = text),
  };
  for (const each of instructions) {
    say(`${each.name} ${each.text}`);
    actions[each.name](each);
  }
  return stage;
}

/** Makes the root folder read-only, except the volumes and `/tmp`, as the Compose files do. */
function close({ root, volumes }) {
  for (const volume of volumes) {
    const at = join(MEMORY, 'volumes', volume);
    mkdirSync(dirname(at), { recursive: true });
    must('cp', ['-a', join(root, volume), at]);
    must('mount', ['--bind', at, join(root, volume)]);
  }
  must('mount', ['-o', 'remount,ro', root]);
}

/** Returns the arguments that run a command as the image does. */
function inImage({ root, folder, user }, command) {
  const [uid, gid] = user.split(':');
  const rights = [
    '--reuid',
    uid,
    '--regid',
    gid,
    '--clear-groups',
    '--no-new-privs',
    '--bounding-set',
    '-all',
  ];
  return ['chroot', [root, 'setpriv', ...rights, '/usr/bin/env', '-C', folder, ...command]];
}

async function serve(image) {
  const run = (...command) => {
    const [program, args] = inImage(image, command);
    return spawnSync(program, args, { env: image.env, encoding: 'utf8' });
  };
  const expectStatus = (what, status, wanted) => {
    if (status !== wanted) throw new Error(`${what}: exit code ${status} instead of ${wanted}`);
    say(`ok: ${what}`);
  };
  expectStatus('the health check fails without a server', run(...image.health).status, 1);
  expectStatus('the root folder is read-only', run('touch', '/opt/fixpoint/x').status, 1);
  const [program, args] = inImage(image, [...image.entry, ...image.command]);
  const child = spawn(program, args, { env: image.env, stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = new Promise((done) => child.once('exit', (code, signal) => done(signal ?? code)));
  try {
    await new Promise((done, fail) => {
      child.stdout.on('data', (text) => String(text).includes('Fixpoint is ready') && done());
      void ended.then((code) => fail(new Error(`the server ended with ${code}`)));
    });
    expectStatus('the health check succeeds', run(...image.health).status, 0);
    expectStatus('a backup', run(...image.entry, 'backup', '--to', '/var/backups/fixpoint').status, 0);
    expectStatus('a check of the server', run(...image.entry, 'check').status, 0);
  } finally {
    child.kill(image.signal);
  }
  expectStatus(`${image.signal} stops the server`, await ended, 0);
}

async function main() {
  if (process.env[INSIDE] === undefined) {
    const env = { ...process.env, [INSIDE]: 'yes' };
    const args = [
      '--mount',
      '--pid',
      '--fork',
      '--kill-child',
      process.execPath,
      fileURLToPath(import.meta.url),
    ];
    process.exitCode = spawnSync('unshare', args, { env, stdio: 'inherit' }).status ?? 1;
    return;
  }
  must('mount', ['-t', 'tmpfs', 'tmpfs', MEMORY]);
  const image = build(readDockerfile(readFileSync(join(here, 'Dockerfile'), 'utf8')));
  close(image);
  // Another server may use the port of the image.
  if (process.env.FIXPOINT_TRY_PORT) image.env.PORT = process.env.FIXPOINT_TRY_PORT;
  await serve(image);
  say('All steps of the Dockerfile ran.');
}

await main();
