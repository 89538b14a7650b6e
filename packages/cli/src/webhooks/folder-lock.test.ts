import { spawn } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { lockFolder } from './folder-lock.ts';

async function newFolder() {
  const folder = await mkdtemp(join(tmpdir(), 'fixpoint-lock-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
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
  const holders = [`${hostname()} ${await endedProcess()} 1 x`];
  if (process.platform === 'linux') holders.push(`${hostname()} ${process.pid} 1 x`);
  for (const holder of holders) {
    await writeFile(join(folder, 'lock'), holder);
    const unlock = await lockFolder(folder);
    expect(await readFile(join(folder, 'lock'), 'utf8')).not.toBe(holder);
    await unlock();
  }
});

test('keeps the lock of a process on another machine', async () => {
  const folder = await newFolder();
  await writeFile(join(folder, 'lock'), 'elsewhere 1 1 x');
  await expect(lockFolder(folder)).rejects.toThrow(/process 1 on elsewhere.*delete/);
});

test('gives a stale lock to one of many processes', async () => {
  const folder = await newFolder();
  await writeFile(join(folder, 'lock'), `${hostname()} ${await endedProcess()} 1 x`);
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

test.each(['', '\n', hostname()])(
  'keeps a lock that does not say whose it is (%j), and says what to do',
  async (text) => {
    const folder = await newFolder();
    await writeFile(join(folder, 'lock'), text);
    const refused = await lockFolder(folder).catch((cause: unknown) => cause);
    expect(refused).toMatchObject({ code: 'CONFIG_INVALID' });
    expect(String(refused)).toMatch(/in use by another process,.*delete .*lock/);
    expect(String(refused)).not.toContain('undefined');
    expect(await readdir(folder)).toEqual(['lock']);
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
