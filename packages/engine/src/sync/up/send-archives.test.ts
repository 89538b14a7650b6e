import { describe, expect, test } from 'vitest';
import { code } from '../../commit/head.fixture.ts';
import { parseDocKey } from '../../documents/doc-key.ts';
import { encodeDocument } from '../../documents/encode.ts';
import { sessionOver } from '../session.fixture.ts';
import { createMerging } from './merge-scheduler.ts';
import { sendArchives } from './send-archives.ts';
import { unsentFinder } from './unsent-archives.ts';

const LONG = 'a long text '.repeat(50_000);

/** Creates a database of five commits, each of which fills one part of an upload. */
async function uploading() {
  const world = await sessionOver();
  const { session, commits, remote } = world;
  for (let n = 0; n < 5; n++) {
    const key = parseDocKey(`doc-${n}`);
    await commits.write([{ key, value: encodeDocument({ _id: `doc-${n}`, n, LONG }, key) }]);
  }
  const connection = world.connect();
  const merging = createMerging(
    session,
    () => import('./merge-groups.ts'),
    async () => undefined,
  );
  const find = unsentFinder(session);
  const send = async () => sendArchives(session, connection, merging, commits.snapshot().head, await find());
  /** Names of the archives that the remote is receiving now. */
  const running = new Set<string>();
  let most = 0;
  const waiting: (() => void)[] = [];
  remote.before = async (transfer) => {
    running.add(transfer);
    most = Math.max(most, running.size);
    await new Promise<void>((resolve) => waiting.push(resolve));
    running.delete(transfer);
  };
  /** Lets all transfers end that run now. */
  const release = () => {
    for (const resolve of waiting.splice(0)) resolve();
  };
  return { ...world, send, find, running, most: () => most, waiting, release };
}

describe('sending a big upload', () => {
  test('packs later archives while it sends earlier ones, at most three at once', async () => {
    const { send, running, most, release, time } = await uploading();
    const sent = send();
    await time.until(() => running.size === 3);
    const done = sent.then(() => true);
    for (let isDone = false; !isDone; isDone = await Promise.race([done, time.pass(1).then(() => false)]))
      release();
    expect(most()).toBe(3);
  });

  test('[R14] sends the entry only after all archives are stored', async () => {
    const { send, running, waiting, release, remote, time } = await uploading();
    const sent = send();
    await time.until(() => running.size === 3);
    // All transfers end except the first one.
    const first = waiting.shift();
    for (let n = 0; n < 100; n++) {
      release();
      await time.pass(1);
    }
    expect([running.size, remote.entries.length]).toEqual([1, 0]);
    first?.();
    for (let n = 0; n < 100; n++) {
      release();
      await time.pass(1);
    }
    expect(await sent).toBe(true);
    expect(remote.entries).toHaveLength(1);
  });

  test('[R17] resumes after the parts that were sent when one of them fails', async () => {
    const { send, find, remote, memory, time } = await uploading();
    remote.before = () => undefined;
    const all = await find();
    remote.status = (transfer) => (transfer === remote.transfers[1] ? 500 : undefined);
    await expect(time.run(send())).rejects.toThrow(code('GATEWAY_PUT'));
    expect(remote.entries).toEqual([]);
    const left = await find();
    expect(left.length).toBeGreaterThan(0);
    expect(left.length).toBeLessThan(all.length);
    expect(memory.sentArchives().toSorted()).toEqual(all.filter((cid) => !left.includes(cid)).toSorted());
    const sentBefore = new Set(remote.objects.keys());
    remote.transfers.length = 0;
    remote.status = () => undefined;
    expect(await time.run(send())).toBe(true);
    expect(remote.transfers.filter((transfer) => sentBefore.has(transfer.slice(4)))).toEqual([]);
    expect([remote.entries.length, await find()]).toEqual([1, []]);
  });
});
