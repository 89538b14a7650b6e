/** Licence notices for the third-party software in the console bundle. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { noticeOf, noticesText, packageFolderOf } from '../../packages/console/build/third-party-licenses.ts';

test('finds the package of a bundled module, but no package for modules of this repository', () => {
  expect(packageFolderOf('/x/node_modules/react/index.js')).toBe('/x/node_modules/react');
  expect(packageFolderOf('/x/node_modules/@a/b/c/d.js?url')).toBe('/x/node_modules/@a/b');
  expect(packageFolderOf('/x/node_modules/a/node_modules/b/c.js')).toBe('/x/node_modules/a/node_modules/b');
  expect(packageFolderOf('\0commonjs-proxy:/x/node_modules/react/index.js')).toBe('/x/node_modules/react');
  expect(packageFolderOf('/x/packages/console/src/main.tsx')).toBeUndefined();
  expect(packageFolderOf('\0vite/preload-helper.js')).toBeUndefined();
});

test('quotes the license of a package with its name and version', () => {
  const text = noticesText([noticeOf('node_modules/react'), noticeOf('node_modules/@base-ui/react')]);
  expect(text).toMatch(/^@base-ui\/react \d.*\(MIT\)$/m);
  expect(text).toMatch(/^react \d.*\(MIT\)$/m);
  expect(text).toContain('Copyright (c) Meta Platforms');
  expect(text.indexOf('@base-ui/react')).toBeLessThan(text.indexOf('\nreact '));
});

test("rejects a package that doesn't state its license", () => {
  const folder = mkdtempSync(join(tmpdir(), 'fixpoint-licenses-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'package.json'), '{"name": "odd", "version": "1.0.0"}');
  expect(() => noticeOf(folder)).toThrow('names no license');
  writeFileSync(join(folder, 'NOTICE.txt'), 'Use it.');
  expect(noticeOf(folder)).toMatchObject({ name: 'odd', license: 'see below', text: 'Use it.' });
});
