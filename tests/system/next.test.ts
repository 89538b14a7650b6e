/**
 * The template `next-bookmarks` with the packed packages, outside the repository: built and started
 * by Next, and driven in a real browser. Next is large, so only nightly runs include this test.
 */
import { execFile, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { describe, expect, onTestFinished, test } from 'vitest';
import { packAll } from '../../scripts/pack.mjs';
import { faultsOf } from './local.fixture.ts';
import { freePort, launchChromium, removeFolder, temporaryFolder, visitor } from './product.fixture.ts';

const isSkipped = !['night', 'release'].includes(process.env['FIXPOINT_BUDGET'] ?? '');
const execute = promisify(execFile);
// Next is a program of its own, which must not notice the test runner.
const { NODE_ENV, NODE_OPTIONS, VITEST, ...inherited } = process.env;
const env = { ...inherited, NEXT_TELEMETRY_DISABLED: '1', NODE_ENV: undefined };

/** Creates the application from the packed template, and installs it. */
async function installedApp(folder: string): Promise<string> {
  const archives: Readonly<Record<string, string>> = packAll(join(folder, 'packed'));
  const create = join(folder, 'create');
  mkdirSync(create);
  await execute('tar', ['-xzf', archives['create-fixpoint'] ?? '', '-C', create]);
  const program = join(create, 'package/bin/create-fixpoint.mjs');
  await execute(process.execPath, [program, 'site', '--template', 'next-bookmarks'], { cwd: folder });
  const app = join(folder, 'site');
  const manifest = JSON.parse(readFileSync(join(app, 'package.json'), 'utf8'));
  const overrides = Object.fromEntries(Object.entries(archives).map(([name, at]) => [name, `file:${at}`]));
  for (const name of Object.keys(manifest.dependencies))
    if (overrides[name] !== undefined) manifest.dependencies[name] = overrides[name];
  writeFileSync(join(app, 'package.json'), JSON.stringify({ ...manifest, overrides }));
  await execute('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund', '--ignore-scripts'], {
    cwd: app,
  });
  return app;
}

/** Starts `next start`, and returns its address when it answers. */
async function startedAt(app: string): Promise<string> {
  const port = String(await freePort());
  const args = ['node_modules/next/dist/bin/next', 'start', '-p', port, '-H', '127.0.0.1'];
  const child = spawn(process.execPath, args, { cwd: app, env, stdio: 'inherit' });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  onTestFinished(async () => {
    child.kill();
    await ended;
  });
  const url = `http://127.0.0.1:${port}`;
  await expect
    .poll(() =>
      fetch(url).then(
        ({ ok }) => ok,
        () => false,
      ),
    )
    .toBe(true);
  return url;
}

const listed = (page: Page) => page.getByRole('listitem').getByRole('link').allInnerTexts();

async function add(page: Page, address: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Address' }).fill(address);
  await page.getByRole('button', { name: 'Add' }).click();
  await page.getByRole('link', { name: address }).waitFor();
}

describe.skipIf(isSkipped)('the template for Next (only by night)', () => {
  test('compiles, renders on a server without a database, and keeps bookmarks in the browser', async () => {
    const folder = temporaryFolder();
    onTestFinished(() => removeFolder(folder));
    const app = await installedApp(folder);
    await execute('npm', ['run', 'build'], { cwd: app, env });
    const url = await startedAt(app);
    const html = await (await fetch(`${url}/?show=all`)).text();
    expect(html).toMatch(/<h1>Bookmarks<\/h1>.*<ul aria-busy="true"><\/ul>/s);
    expect(html).toMatch(/aria-current="page"[^>]*>All</);

    const browser = await launchChromium();
    onTestFinished(() => browser.close());
    const { page, context, problems, shot } = await visitor(browser);
    await page.goto(url);
    await page.getByText('Nothing to read.').waitFor();
    await add(page, 'https://a.example/');
    await add(page, 'https://b.example/');
    const other = await context.newPage();
    await other.goto(url);
    await expect.poll(() => listed(other)).toEqual(['https://b.example/', 'https://a.example/']);
    await page.getByRole('checkbox', { name: 'Read https://b.example/' }).click();
    await expect.poll(() => listed(other)).toEqual(['https://a.example/']);
    await other.getByRole('link', { name: 'All' }).click();
    await expect.poll(() => listed(other)).toEqual(['https://b.example/', 'https://a.example/']);
    await page.getByRole('button', { name: 'Remove https://a.example/' }).click();
    await page.reload();
    await page.getByText('Nothing to read.').waitFor();
    await expect.poll(() => listed(other)).toEqual(['https://b.example/']);
    await other.setViewportSize({ width: 375, height: 740 });
    expect(await faultsOf(other)).toEqual([]);
    await shot('next-bookmarks');
    expect(problems).toEqual([]);
    expect(existsSync(join(app, '.fixpoint'))).toBe(false);
  });
});
