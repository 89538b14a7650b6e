import { expect, test } from 'vitest';
import { sha256 } from '../../codec/sha256.ts';
import type { StoreFiles, SyncFile } from '../../ports/sync-file.ts';
import { openLeader } from './opfs-leader.ts';
import { simulatedFiles } from './simulated-sync-files.fixture.ts';

/** Returns files that count how many of them were closed. */
function counted({ logs: [first, second], marker }: StoreFiles) {
  const closed = { count: 0 };
  const over = (file: SyncFile): SyncFile => ({ ...file, close: () => void closed.count++ });
  const files: StoreFiles = { logs: [over(first), over(second)], marker: over(marker) };
  return { closed, parts: { files, sha256, randomBytes: () => new Uint8Array(16), isStrict: true } };
}
const turn = async () => undefined;
const nobody = async () => new Set<string>();

test.each([
  ['the files are damaged', [new Uint8Array(200)], nobody, 'CORRUPT'],
  ['the browser rejects the list of locks', [], () => Promise.reject(new TypeError('locks')), undefined],
])('closes the files for other tabs if opening fails: %s', async (_, content, clients, code) => {
  const { closed, parts } = counted(simulatedFiles(content).files);
  const opened = openLeader(parts, content.length > 0, clients, turn);
  await expect(opened).rejects.toMatchObject(code === undefined ? { message: 'locks' } : { code });
  expect(closed.count).toBe(3);
});

test('keeps the files open until the leader is closed', async () => {
  const { closed, parts } = counted(simulatedFiles().files);
  const leader = await openLeader(parts, false, nobody, turn);
  expect(closed.count).toBe(0);
  await leader.close();
  expect(closed.count).toBe(3);
});

test('[R10] opens on a full disk after a tab that wrote has ended', async () => {
  const disk = simulatedFiles();
  const parts = { files: disk.files, sha256, randomBytes: () => new Uint8Array(16), isStrict: true };
  const leader = await openLeader(parts, false, async () => new Set(['c']), turn);
  const changes = [{ key: 'a', bytes: new Uint8Array(9) }];
  await leader.answer({ do: 'write', changes, name: { client: 'c', number: 1 } });
  await leader.close();
  disk.limit = disk.content().reduce((sum, { length }) => sum + length, 0);
  const next = await openLeader(parts, true, nobody, turn);
  expect(await next.answer({ do: 'read', key: 'a' })).toEqual(new Uint8Array(9));
});
