/** Tests the lease of Node between real processes. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test } from 'vitest';

const base = mkdtempSync(join(tmpdir(), 'fixpoint-lease-'));
const script = fileURLToPath(new URL('lease.fixture.mjs', import.meta.url));
const children = new Set<ChildProcess>();
afterEach(() => {
  for (const child of children) child.kill('SIGKILL');
  children.clear();
  rmSync(base, { recursive: true, force: true });
});

function seeker(name: string) {
  mkdirSync(join(base, 'db'), { recursive: true });
  const child = spawn(process.execPath, [script, base, name], { stdio: ['pipe', 'pipe', 'inherit'] });
  children.add(child);
  let text = '';
  child.stdout.on('data', (data: Buffer) => {
    text += data.toString();
  });
  const said = () => text.split('\n').slice(0, -1);
  const says = (line: string) => expect.poll(said).toContain(line);
  return { child, said, says };
}

test('[R9] gives a lease to one holder, sends the holder’s messages to other processes, and gives a released lease to another', async () => {
  const a = seeker('a');
  await a.says('settled');
  expect(a.said()).toEqual(['taken', 'settled']);
  const b = seeker('b');
  await b.says('settled');
  expect(b.said()).toEqual(['words of a', 'settled']);
  a.child.stdin.write('end\n');
  await b.says('taken');
  expect(readdirSync(join(base, 'db'))).toEqual(['lease-work']);
});

test('[R9] replaces a killed or frozen holder; a thawed holder is notified that it lost the lease', async () => {
  const a = seeker('a');
  await a.says('settled');
  const b = seeker('b');
  await b.says('settled');
  a.child.kill('SIGKILL');
  await b.says('taken');
  const c = seeker('c');
  await c.says('words of b');
  b.child.kill('SIGSTOP');
  await c.says('taken');
  b.child.kill('SIGCONT');
  await b.says('lost');
  await b.says('words of c');
  expect(c.said()).not.toContain('lost');
});
