import { mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { folderWith, removeFolders, TEMPLATES } from './create.fixture.ts';
import { copyTemplate, isFree, listTemplates, packageNameOf } from './templates.ts';

afterAll(removeFolders);

describe('packageNameOf', () => {
  test.each([
    ['my-app', 'my-app'],
    ['My App', 'my-app'],
    ['Einkäufe für Zoë', 'einkaufe-fur-zoe'],
    ['.hidden', 'hidden'],
    ['_private', 'private'],
    ['@scope', 'scope'],
    ['a..', 'a'],
    ['買い物', 'my-app'],
    ['🛒', 'my-app'],
    ['node_modules', 'my-app'],
    ['favicon.ico', 'my-app'],
    ['__proto__', 'proto'],
    ["'; rm -rf ~", 'rm--rf'],
  ])('turns the folder %s into the name %s', (folder, name) => {
    expect(packageNameOf(folder)).toBe(name);
  });

  test('returns a valid name for every folder, and keeps valid names', () => {
    const valid = /^[a-z0-9](?:[a-z0-9._-]*[a-z0-9])?$/;
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 300 }), (folder) => {
        const name = packageNameOf(folder);
        expect(name).toMatch(valid);
        expect(name.length).toBeLessThanOrEqual(214);
        expect(packageNameOf(name)).toBe(name);
      }),
    );
  });
});

describe('templates', () => {
  test('lists them by name, with their descriptions', async () => {
    const templates = folderWith({ ...TEMPLATES, 'a/package.json': '{}' });
    expect(await listTemplates(templates)).toEqual([
      { name: 'a', description: '' },
      { name: 'board', description: 'A board' },
      { name: 'notes', description: 'Notes' },
    ]);
  });

  test('copies bytes that are not text', async () => {
    const templates = folderWith(TEMPLATES);
    const bytes = String.fromCharCode(0, 255, 10);
    const from = folderWith({ 'package.json': '{}', 'logo.png': bytes });
    const to = folderWith();
    await copyTemplate(from, to, 'app');
    expect(readFileSync(join(to, 'logo.png'), 'utf8')).toBe(bytes);
    expect(await isFree(to)).toBe(false);
    expect(await isFree(templates)).toBe(false);
  });

  test.each(['index.html', 'package.json', '.gitignore'])(
    'never replaces a file that appeared in the meantime: %s',
    async (name) => {
      const templates = folderWith(TEMPLATES);
      const to = folderWith({ [name]: 'mine' });
      await expect(copyTemplate(join(templates, 'notes'), to, 'app')).rejects.toMatchObject({
        code: 'EEXIST',
      });
      expect(readFileSync(join(to, name), 'utf8')).toBe('mine');
    },
  );

  test('counts a folder that is missing or empty as free, and reports one that it cannot read', async () => {
    const folder = folderWith();
    expect(await isFree(folder)).toBe(true);
    expect(await isFree(join(folder, 'missing', 'deeper'))).toBe(true);
    mkdirSync(join(folder, 'round'));
    symlinkSync(join(folder, 'round', 'round'), join(folder, 'round', 'round'));
    await expect(isFree(join(folder, 'round', 'round'))).rejects.toMatchObject({ code: 'ELOOP' });
  });
});
