import { spawn } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { lockFolder } from './folder-lock.ts';

async function newFolder() {
  const folder = await mkdtemp(join(tmpdir(), 'fixpoint-lock-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** Returns what a lock of this process says about its machine. */
async function ownMachine(): Promise<string> {
  const folder = await newFolder();
  const unlock = await lockFolder(folder);
  const text = await readFile(join(folder, 'lock'), 'utf8');
  await unlock();
  return text.split(' ')[4] ?? '';
}

/** Returns the id of a process that has ended. */
async function endedProcess(): Promise<number> {
  const child = spawn(process.execPath, ['-e', '']);
  await new Promise((done) => child.once('exit', done));
  return child.pid ?? 0;
}

test('lets one process at a time use a folder, and the next one after it unlocked', async () => {
  const folder = await newFolder();
  const unlock = await lockFolder(folder);
  const refused = await lockFolder(folder).catch((cause: unknown) => cause);
  expect(refused).toMatchObject({ code: 'CONFIG_INVALID' });
  expect(String(refused)).toContain(`is in use by process ${process.pid}`);
  await unlock();
  await (await lockFolder(folder))();
  expect(await readdir(folder)).toEqual([]);
});

test('replaces the lock of a process that ended, or whose id another process has now', async () => {
  const folder = await newFolder();
  const where = await ownMachine();
  const holders = [`${hostname()} ${await endedProcess()} 1 x ${where}`];
  if (process.platform === 'linux') holders.push(`${hostname()} ${process.pid} 1 x ${where}`);
  for (const holder of holders) {
    await writeFile(join(folder, 'lock'), holder);
    const unlock = await lockFolder(folder);
    expect(await readFile(join(folder, 'lock'), 'utf8')).not.toBe(holder);
    await unlock();
  }
});

/** Renews a lock as another machine would. The clock of that machine is wrong. */
function renewing(file: string, ms: number) {
  let at = 1_000_000;
  const timer = setInterval(() => {
    at += 1;
    void utimes(file, at, at).catch(() => undefined);
  }, ms);
  onTestFinished(() => clearInterval(timer));
  return () => clearInterval(timer);
}

const QUICK = { renewMs: 20, staleMs: 400 };

test.each([
  ['on another machine', 'elsewhere 1 1 x', /process 1 on elsewhere.*delete/],
  ['in a container with the same host name', `${hostname()} 1 1 x other-container`, /process 1\b/],
  ['that does not say who it is', 'x', /in use by another process/],
])(
  'keeps the lock of a process %s while it renews the lock, and replaces it afterwards',
  async (_who, holder, why) => {
    const folder = await newFolder();
    const file = join(folder, 'lock');
    await writeFile(file, holder);
    const stop = renewing(file, 20);
    for (let tries = 0; tries < 2; tries += 1) await expect(lockFolder(folder, QUICK)).rejects.toThrow(why);
    expect(await readFile(file, 'utf8')).toBe(holder);
    stop();
    const unlock = await lockFolder(folder, QUICK);
    expect(await readFile(file, 'utf8')).toContain(`${hostname()} ${process.pid} `);
    await unlock();
    expect(await readdir(folder)).toEqual([]);
  },
);

test('takes a lock that its holder on another machine releases while this one waits', async () => {
  const folder = await newFolder();
  const file = join(folder, 'lock');
  await writeFile(file, 'elsewhere 1 1 x');
  const locking = lockFolder(folder, { staleMs: 2000 });
  await new Promise((done) => setTimeout(done, 50));
  await rm(file);
  const unlock = await locking;
  expect(await readFile(file, 'utf8')).toContain(` ${process.pid} `);
  await unlock();
  expect(await readdir(folder)).toEqual([]);
});

test('renews its lock, so that no other machine takes it over', async () => {
  const folder = await newFolder();
  const file = join(folder, 'lock');
  const unlock = await lockFolder(folder, QUICK);
  const own = await readFile(file, 'utf8');
  // As another machine sees it: the host has another name.
  const { mtimeMs } = await stat(file);
  await expect.poll(async () => (await stat(file)).mtimeMs).toBeGreaterThan(mtimeMs);
  expect(await readFile(file, 'utf8')).toBe(own);
  await unlock();
});

test.each<[string, (file: string) => Promise<void>]>([
  ['another process took over', (file) => writeFile(file, 'elsewhere 1 1 x')],
  ['somebody removed', (file) => rm(file)],
])('reports once that %s the lock, and leaves the other one', async (_what, lose) => {
  const folder = await newFolder();
  const file = join(folder, 'lock');
  let lost = 0;
  const onLost = () => {
    lost += 1;
  };
  const unlock = await lockFolder(folder, { ...QUICK, onLost });
  await new Promise((done) => setTimeout(done, 60));
  expect(lost).toBe(0);
  await lose(file);
  const before = await readFile(file, 'utf8').catch(() => undefined);
  await expect.poll(() => lost).toBe(1);
  await new Promise((done) => setTimeout(done, 60));
  await unlock();
  expect([lost, await readFile(file, 'utf8').catch(() => undefined)]).toEqual([1, before]);
});

test('reports nothing after it unlocked', async () => {
  const folder = await newFolder();
  let lost = 0;
  const unlock = await lockFolder(folder, {
    ...QUICK,
    onLost: () => {
      lost += 1;
    },
  });
  await unlock();
  await new Promise((done) => setTimeout(done, 60));
  expect([lost, await readdir(folder)]).toEqual([0, []]);
});

test('gives a stale lock to one of many processes', async () => {
  const folder = await newFolder();
  await writeFile(join(folder, 'lock'), `${hostname()} ${await endedProcess()} 1 x ${await ownMachine()}`);
  const all = await Promise.allSettled(Array.from({ length: 20 }, () => lockFolder(folder)));
  expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
});

test('leaves a lock that another process took over', async () => {
  const folder = await newFolder();
  const unlock = await lockFolder(folder);
  await writeFile(join(folder, 'lock'), 'elsewhere 1 1 x');
  await unlock();
  expect(await readdir(folder)).toEqual(['lock']);
});

test.each(['', '\n', hostname(), `${hostname()} NaN`])(
  'replaces a lock that nobody renews and that does not say whose it is (%j)',
  async (text) => {
    const folder = await newFolder();
    await writeFile(join(folder, 'lock'), text);
    const unlock = await lockFolder(folder, QUICK);
    await expect(lockFolder(folder, QUICK)).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
    await unlock();
    expect(await readdir(folder)).toEqual([]);
  },
);

test('lets processes in one after another, and never two at once', async () => {
  const folder = await newFolder();
  let [inside, most, turns] = [0, 0, 0];
  const work = async () => {
    for (;;) {
      const unlock = await lockFolder(folder).catch(() => undefined);
      if (unlock === undefined) {
        await new Promise((done) => setImmediate(done));
        continue;
      }
      inside += 1;
      most = Math.max(most, inside);
      await new Promise((done) => setImmediate(done));
      inside -= 1;
      turns += 1;
      return unlock();
    }
  };
  await Promise.all(Array.from({ length: 5 }, work));
  expect([most, turns]).toEqual([1, 5]);
  expect(await readdir(folder)).toEqual([]);
});

test('unlocks once, also if it is called again after another process locked the folder', async () => {
  const folder = await newFolder();
  const unlock = await lockFolder(folder);
  await unlock();
  const other = await lockFolder(folder);
  await unlock();
  await expect(lockFolder(folder)).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
  await other();
});

test('locks folders apart, and creates those that do not exist for this user only', async () => {
  const folder = await newFolder();
  const [one, two] = [join(folder, 'a', 'one'), join(folder, '__proto__')];
  const unlock = await Promise.all([lockFolder(one), lockFolder(two)]);
  for (const path of [one, two]) {
    expect((await stat(path)).mode & 0o777).toBe(0o700);
    expect((await stat(join(path, 'lock'))).mode & 0o777).toBe(0o600);
  }
  for (const each of unlock) await each();
});
