/**
 * The gateway with the client that exists, `@fireproof/core` 0.24.19. One of its dependencies has an install script, so it is no dependency of this
 * repository: install it in a folder of its own with `npm i --ignore-scripts @fireproof/core@0.24.19`, and name the folder in FIREPROOF_HOME.
 */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { fixpoint, toCloud } from 'fixpoint';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  type Ledger,
  newLedger,
  temporaryFolder,
  testCloud,
} from '../../packages/cloud/tests/cloud.fixture.ts';

const home = process.env['FIREPROOF_HOME'];
const script = fileURLToPath(new URL('./fireproof-peer.mjs', import.meta.url));

/** Runs a peer until it has as many documents as expected; gives their ids. */
async function peer(url: string, { token }: Ledger, name: string, writes: number, expected: number) {
  const folder = await temporaryFolder();
  const task = { home, folder, host: new URL(url).host, token, name, writes, expected };
  const child = spawn(process.execPath, [script, JSON.stringify(task)], { stdio: ['pipe', 'pipe', 'pipe'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  let failure = '';
  child.stderr.on('data', (data) => {
    failure += data;
  });
  return new Promise<string[]>((resolve, reject) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      if (line.startsWith('["')) resolve(JSON.parse(line));
    });
    child.once('close', (code) => reject(new Error(`${name} ended with ${code}: ${failure.slice(0, 2000)}`)));
  });
}

const ids = (names: string[], count: number) =>
  names.flatMap((name) => Array.from({ length: count }, (_, index) => `${name}-${index}`)).sort();

describe.skipIf(home === undefined)('existing clients at the gateway', () => {
  test('[W1] two that write at the same time converge, and a late one has it all', async () => {
    const cloud = await testCloud();
    const notes = await newLedger(cloud);
    const both = await Promise.all(['a', 'b'].map((name) => peer(cloud.url, notes, name, 5, 10)));
    expect(both).toEqual([ids(['a', 'b'], 5), ids(['a', 'b'], 5)]);
    expect(await peer(cloud.url, notes, 'late', 0, 10)).toEqual(ids(['a', 'b'], 5));
  });

  test('[W1] one of them and a database of this engine share a ledger', async () => {
    const cloud = await testCloud();
    const notes = await newLedger(cloud);
    const db = fixpoint('notes', { directory: await temporaryFolder() });
    const { tenant, ledger, token } = notes;
    const attached = await db.attach(toCloud({ base: cloud.url, tenant, ledger, token }));
    const existing = peer(cloud.url, notes, 'theirs', 5, 10);
    for (const id of ids(['ours'], 5)) await db.put({ _id: id });
    expect(await existing).toEqual(ids(['ours', 'theirs'], 5));
    await expect
      .poll(async () => (await db.allDocs()).rows.map(({ key }) => key).sort(), { timeout: 10_000 })
      .toEqual(ids(['ours', 'theirs'], 5));
    await attached.detach();
    await db.close();
  });
});
