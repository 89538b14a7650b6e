import { expect, test } from 'vitest';
import { sha256 } from '../../codec/sha256.ts';
import { seededRandom } from '../../testing/seeded-random.ts';
import { createLeader } from './opfs-leader.ts';
import { openLog } from './opfs-log.ts';
import { openTabs, type TabMessage, type TabsParts } from './opfs-tabs.ts';
import { simulatedFiles } from './simulated-sync-files.fixture.ts';

const bytes = (...values: number[]) => Uint8Array.from(values);

/** A browser whose tabs can end at once. */
function browser() {
  const simulated = simulatedFiles();
  const random = seededRandom(3);
  const listeners = new Map<string, (message: TabMessage) => void>();
  const waiting: (() => Promise<void>)[] = [];
  let holder: string | undefined;
  const ended = new Set<string>();
  let dropped: (message: TabMessage) => boolean = () => false;
  const grant = (client: string, fn: () => Promise<void>) => {
    holder = client;
    void fn();
  };
  const partsOf = (client: string): TabsParts => ({
    client,
    channel: {
      post: (message) => {
        if (ended.has(client) || dropped(message)) return;
        for (const [name, listen] of listeners)
          if (name !== client) queueMicrotask(() => !ended.has(name) && listen(structuredClone(message)));
      },
      listen: (fn) => void listeners.set(client, fn),
      close: () => void listeners.delete(client),
    },
    lock: (fn) => {
      if (holder === undefined) grant(client, fn);
      else waiting.push(async () => grant(client, fn));
      return () => undefined;
    },
    openLeader: async () => {
      const parts = { files: simulated.files, sha256, randomBytes: random.bytes, isStrict: true };
      return createLeader(openLog(parts, false), new Set(['a', 'b', 'c']), async () => undefined);
    },
  });
  return {
    tab: (client: string) => openTabs(partsOf(client)),
    drop: (fn: (message: TabMessage) => boolean) => {
      dropped = fn;
    },
    end: (client: string) => {
      ended.add(client);
      void waiting.shift()?.();
    },
  };
}

test.each(['ask', 'answer'] as const)(
  '[R9] applies a write once if the leader ends and the %s was lost',
  async (kind) => {
    const { tab, drop, end } = browser();
    const [leader, second, third] = [await tab('a'), await tab('b'), await tab('c')];
    await leader.write({ do: 'write', changes: [{ key: 'head', bytes: bytes(1) }] });
    const lost = new Promise<void>((resolve) =>
      drop((message) => {
        if (message.kind === kind) resolve();
        return message.kind === kind;
      }),
    );
    const writing = third.write({
      do: 'write',
      changes: [{ key: 'head', bytes: bytes(2) }],
      guard: { key: 'head', bytes: bytes(1) },
    });
    await lost;
    drop(() => false);
    end('a');
    expect(await writing).toBe(true);
    expect(second.isLeader()).toBe(true);
    expect(await third.ask({ do: 'read', key: 'head' })).toEqual(bytes(2));
    expect(await second.ask({ do: 'keys', prefix: '' })).toEqual(['head']);
  },
);

test('[R9] rejects a write of another tab whose condition is not met', async () => {
  const { tab } = browser();
  const [leader, second] = [await tab('a'), await tab('b')];
  const request = { do: 'write', changes: [{ key: 'k', bytes: bytes(1) }] } as const;
  expect(await second.write({ ...request, guard: { key: 'k', bytes: undefined } })).toBe(true);
  expect(await leader.write({ ...request, guard: { key: 'k', bytes: undefined } })).toBe(false);
});
