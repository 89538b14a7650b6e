import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { fixpoint } from '../src/node.ts';

const KILLS = Number(process.env['FIXPOINT_KILLS'] ?? 20);
const base = mkdtempSync(join(tmpdir(), 'fixpoint-crash-'));
afterAll(() => rmSync(base, { recursive: true, force: true }));

/** Runs a writer, kills it after so many acknowledged writes, and gives what it acknowledged. */
async function writeUntilKilled(
  directory: string,
  from: number,
  writes: number,
  how: 'writes' | 'compacts',
): Promise<string[]> {
  const script = fileURLToPath(new URL('writer.fixture.mjs', import.meta.url));
  const child = spawn(process.execPath, [script, directory, String(from), how], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  await new Promise<void>((resolve) => {
    child.stdout.on('data', (data: Buffer) => {
      text += data.toString();
      if (text.split('\n').length > writes) child.kill('SIGKILL');
    });
    child.once('close', () => resolve());
  });
  return text.split('\n').slice(0, -1);
}

test.each([
  ['a writer', 'writes'],
  ['a writer that compacts at the same time', 'compacts'],
] as const)(
  '[R1] %s, killed again and again, loses nothing that it acknowledged, and leaves no partial bulk',
  async (_, how) => {
    const directory = join(base, how);
    const acknowledged: string[] = [];
    for (let kill = 0; kill < KILLS; kill++) {
      acknowledged.push(
        ...(await writeUntilKilled(directory, kill * 10_000 + 1, 1 + ((kill * 7) % 40), how)),
      );
      const db = fixpoint('crash', { directory });
      const ids = new Set((await db.allDocs()).rows.map(({ key }) => key));
      for (const line of acknowledged) {
        const [kind, n] = line.split(' ');
        const expected = kind === 'put' ? [`put-${n}`] : ['a', 'b', 'c'].map((part) => `bulk-${n}-${part}`);
        expect([line, expected.filter((id) => !ids.has(id))]).toEqual([line, []]);
      }
      const bulks = [...ids].filter((id) => id.startsWith('bulk-')).map((id) => id.slice(0, -2));
      for (const bulk of new Set(bulks))
        expect([bulk, bulks.filter((one) => one === bulk).length]).toEqual([bulk, 3]);
      await db.close();
    }
    expect(acknowledged.length).toBeGreaterThan(KILLS);
  },
);
