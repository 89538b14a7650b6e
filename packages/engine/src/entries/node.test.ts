/** Where `fixpoint` stores databases in Node, if no folder is given. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { fixpoint } from './node.ts';

/** Writes to a database without a folder. Returns whether the working directory contains it. */
async function writesFiles(env: Record<string, string>, userAgent?: string): Promise<boolean> {
  const folder = mkdtempSync(join(tmpdir(), 'fixpoint-place-'));
  vi.spyOn(process, 'cwd').mockReturnValue(folder);
  onTestFinished(() => {
    vi.restoreAllMocks();
    rmSync(folder, { recursive: true, force: true });
  });
  for (const name of ['VITEST', 'JEST_WORKER_ID', 'FIXPOINT_DIR']) vi.stubEnv(name, env[name]);
  vi.stubGlobal('navigator', { userAgent });
  const db = fixpoint('placed');
  await db.put({ _id: 'a' });
  await db.close();
  const again = fixpoint('placed');
  expect(await again.get('a')).toEqual({ _id: 'a' });
  await again.destroy();
  return existsSync(join(folder, '.fixpoint'));
}

test.each([
  ['Vitest', { VITEST: 'true' }, undefined],
  ['Jest', { JEST_WORKER_ID: '1' }, undefined],
  ['jsdom', {}, 'Mozilla/5.0 (linux) AppleWebKit/537.36 (KHTML, like Gecko) jsdom/27.0.0'],
  ['Happy DOM', {}, 'Mozilla/5.0 (X11; Linux x64) AppleWebKit/537.36 (KHTML, like Gecko) HappyDOM/21.0.4'],
])('writes nothing to the working directory under %s', async (_, env, userAgent) => {
  expect(await writesFiles(env, userAgent)).toBe(false);
});

test('writes to the working directory in any other process', async () => {
  expect(await writesFiles({}, 'Node.js/24')).toBe(true);
});

test('destroys a database that is used in the same turn for the first time', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'fixpoint-place-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const db = fixpoint('a', { directory });
  const put = db.put({ _id: 'a' }).catch(() => undefined);
  await db.destroy();
  await put;
  const again = fixpoint('a', { directory });
  await expect(again.get('a')).rejects.toMatchObject({ code: 'NOT_FOUND' });
  await again.destroy();
});

test('writes to the folder that the option or the variable names, also in tests', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'fixpoint-place-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  vi.stubEnv('FIXPOINT_DIR', join(folder, 'variable'));
  for (const db of [fixpoint('a'), fixpoint('a', { directory: join(folder, 'option') })]) {
    await db.put({ _id: 'a' });
    await db.close();
  }
  expect(['variable', 'option'].filter((name) => existsSync(join(folder, name)))).toHaveLength(2);
});
