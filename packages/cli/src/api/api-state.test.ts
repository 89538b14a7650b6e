import { chmod, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Io } from '../io.ts';
import { newFolder } from './api.fixture.ts';
import { keptSecret, stateFolderOf } from './api-state.ts';

const ioWith = (env: Record<string, string>) => ({ env }) as unknown as Io;

describe('the folder of an API', () => {
  test('returns a folder below the configuration of the user for each database', () => {
    const io = ioWith({ HOME: '/home/ada' });
    const folder = stateFolderOf(io, '/data', 'notes');
    expect(folder).toMatch(/^\/home\/ada\/\.config\/fixpoint\/api\/notes-[0-9a-f]{12}$/);
    expect(stateFolderOf(io, '/data', 'notes')).toBe(folder);
    expect(stateFolderOf(io, '/other', 'notes')).not.toBe(folder);
    expect(stateFolderOf(ioWith({ XDG_CONFIG_HOME: '/c' }), '/data', 'notes')).toMatch(
      /^\/c\/fixpoint\/api\//,
    );
  });

  test('stays there whatever the name of the database is', () => {
    const io = ioWith({ HOME: '/h' });
    for (const name of ['../../etc', 'a/b', '..', '', ' ', 'é\n', 'x'.repeat(500)])
      expect(stateFolderOf(io, '/data', name)).toMatch(
        /^\/h\/\.config\/fixpoint\/api\/[\w-]{0,40}-[0-9a-f]{12}$/,
      );
    expect(stateFolderOf(io, '/data', 'a/b')).not.toBe(stateFolderOf(io, '/data', 'a b'));
  });
});

describe('a kept secret', () => {
  test('creates a secret once, in a file that only this user can read', async () => {
    const folder = join(await newFolder(), 'new');
    const first = await keptSecret(folder, 'token', '');
    expect(first.value).toMatch(/^[\w-]{43}$/);
    expect((await stat(first.file)).mode & 0o777).toBe(0o600);
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
    expect(await keptSecret(folder, 'token', '')).toEqual(first);
    expect((await keptSecret(folder, 'other', '')).value).not.toBe(first.value);
    expect((await keptSecret(folder, 'webhook-secret', 'whsec_')).value).toMatch(
      /^whsec_[A-Za-z0-9+/]{43}=$/,
    );
  });

  test('returns the same secret to all processes that start together, and leaves no drafts', async () => {
    const folder = await newFolder();
    const all = await Promise.all(Array.from({ length: 20 }, () => keptSecret(folder, 'token', '')));
    expect(new Set(all.map(({ value }) => value)).size).toBe(1);
    expect(await readdir(folder)).toEqual(['token']);
    expect(`${all[0]?.value}\n`).toBe(await readFile(join(folder, 'token'), 'utf8'));
  });

  test('accepts a secret of the user that is long and fits into a header', async () => {
    const folder = await newFolder();
    const file = join(folder, 'token');
    await writeFile(file, `  ${'x'.repeat(22)}\n`);
    expect((await keptSecret(folder, 'token', '')).value).toBe('x'.repeat(22));
    for (const wrong of [
      '',
      'short',
      `two words ${'x'.repeat(22)}`,
      'é'.repeat(30),
      `a\nb${'x'.repeat(22)}`,
    ]) {
      await writeFile(file, wrong);
      await expect(keptSecret(folder, 'token', '')).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
      await expect(keptSecret(folder, 'token', '')).rejects.toThrow(file);
    }
  });

  test('never replaces a file that cannot be read', async () => {
    const folder = await newFolder();
    await mkdir(join(folder, 'token'));
    await expect(keptSecret(folder, 'token', '')).rejects.toMatchObject({ code: 'EISDIR' });
    await chmod(folder, 0o700);
    expect(await readdir(folder)).toEqual(['token']);
  });
});
