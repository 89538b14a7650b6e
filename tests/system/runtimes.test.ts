/**
 * The packed engine in Bun and Deno, which npm installs. They are large, so only nightly runs
 * include this test.
 */
import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { packAll } from '../../scripts/pack.mjs';
import { removeFolder, temporaryFolder } from './product.fixture.ts';

const isSkipped = !['night', 'release'].includes(process.env['FIXPOINT_BUDGET'] ?? '');
const RUNTIMES = { bun: '1.4.5', deno: '2.9.6' };
const SCRIPT = `import { fixpoint } from 'fixpoint';
const db = fixpoint('tasks', { indexes: ['done'] });
const { id } = await db.put({ title: 'Buy milk', done: false, _files: { note: new File(['text'], 'n') } });
await db.update(id, (task) => ({ ...task, done: true }));
const { docs } = await db.find({ where: { done: true } });
console.log((await db.get(id)).title, docs.length, await (await docs[0]._files.note.file()).text());
await db.close();
`;

const execute = promisify(execFile);
const folder = temporaryFolder();
const app = join(folder, 'app');
const { NODE_OPTIONS, VITEST, ...env } = process.env;

describe.skipIf(isSkipped)('the packed engine (only by night)', () => {
  beforeAll(async () => {
    const archives: Readonly<Record<string, string>> = packAll(join(folder, 'packed'));
    const packed = Object.fromEntries(Object.entries(archives).map(([name, at]) => [name, `file:${at}`]));
    mkdirSync(app);
    const dependencies = { fixpoint: packed['fixpoint'], ...RUNTIMES };
    const manifest = { private: true, type: 'module', dependencies, overrides: packed };
    writeFileSync(join(app, 'package.json'), JSON.stringify(manifest));
    writeFileSync(join(app, 'main.js'), SCRIPT);
    await execute('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund'], { cwd: app });
  });
  afterAll(() => removeFolder(folder));

  test.each([
    ['bun', []],
    ['deno', ['run', '--allow-all']],
  ])('stores, changes, finds and reopens documents in %s', async (runtime, args) => {
    const options = { cwd: app, env: { ...env, FIXPOINT_DIR: join(app, `data-${runtime}`) } };
    const run = async () =>
      (await execute('npx', ['--no-install', runtime, ...args, 'main.js'], options)).stdout;
    expect(await run()).toBe('Buy milk 1 text\n');
    expect(await run()).toBe('Buy milk 2 text\n');
  });
});
