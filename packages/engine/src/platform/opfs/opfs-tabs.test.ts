import { describe, expect, test } from 'vitest';
import { sha256 } from '../../codec/sha256.ts';
import { seededRandom } from '../../testing/seeded-random.ts';
import { simulatedTime } from '../../testing/simulated-time.ts';
import { openLeader } from './opfs-leader.ts';
import { openTabs, type TabMessage, type TabsParts } from './opfs-tabs.ts';
import { simulatedFiles } from './simulated-sync-files.fixture.ts';

const bytes = (...values: number[]) => Uint8Array.from(values);

/** A browser whose tabs can end at once. */
function browser() {
  const simulated = simulatedFiles();
  const random = seededRandom(3);
  const time = simulatedTime();
  const listeners = new Map<string, (message: TabMessage) => void>();
  const waiting: (() => Promise<void>)[] = [];
  let holder: string | undefined;
  const ended = new Set<string>();
  let dropped: (message: TabMessage) => boolean = () => false;
  const failing = new Set<string>();
  let moving: Promise<void> | undefined;
  const grant = (client: string, fn: () => Promise<void>) => {
    holder = client;
    void fn().then(() => {
      holder = undefined;
      void waiting.shift()?.();
    });
  };
  const partsOf = (client: string): TabsParts => ({
    client,
    after: time.after,
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
      await moving;
      if (failing.has(client)) throw new DOMException('no access', 'NotAllowedError');
      const parts = { files: simulated.files, sha256, randomBytes: random.bytes, isStrict: true };
      const clients = async () => new Set(['a', 'b', 'c']);
      return openLeader(parts, false, clients, async () => undefined);
    },
  });
  return {
    time,
    /** Makes each tab that opens the files wait. */
    waitFor: (work: Promise<void>) => {
      moving = work;
    },
    tab: (client: string) => openTabs(partsOf(client)),
    drop: (fn: (message: TabMessage) => boolean) => {
      dropped = fn;
    },
    /** Sets whether the tab can open the files. */
    setFailing: (client: string, isFailing: boolean) =>
      void (isFailing ? failing.add(client) : failing.delete(client)),
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

describe('a tab that cannot open the files after the leader ended', () => {
  const request = { do: 'write', changes: [{ key: 'k', bytes: bytes(1) }] } as const;
  const failed = { code: 'STORE_FAILED' };

  /** Returns a browser whose leader has just ended, and a tab whose takeover failed. */
  async function failedTakeover() {
    const here = browser();
    const [leader, second] = [await here.tab('a'), await here.tab('b')];
    await leader.write(request);
    here.setFailing('b', true);
    here.drop(({ kind }) => kind === 'answer');
    const waiting = second.ask({ do: 'read', key: 'k' });
    here.end('a');
    await expect(waiting).rejects.toMatchObject(failed);
    here.drop(() => false);
    return { ...here, second };
  }

  test('[R3] rejects later requests with the cause', async () => {
    const { second } = await failedTakeover();
    await expect(second.ask({ do: 'read', key: 'k' })).rejects.toMatchObject(failed);
    await expect(second.write(request)).rejects.toMatchObject(failed);
    await second.close();
    await expect(second.write(request)).rejects.toMatchObject({ code: 'DATABASE_CLOSED' });
  });

  test('[R9] works again once another tab leads, and can lead after that one', async () => {
    const { tab, end, setFailing, second } = await failedTakeover();
    await tab('c');
    expect(await second.ask({ do: 'read', key: 'k' })).toEqual(bytes(1));
    setFailing('b', false);
    end('c');
    expect(await second.ask({ do: 'read', key: 'k' })).toEqual(bytes(1));
    expect(second.isLeader()).toBe(true);
  });
});

describe('a leader that does not answer', () => {
  const read = { do: 'read', key: 'k' } as const;
  const locked = { code: 'STORE_LOCKED', message: expect.stringMatching(/close or reload/) };

  test('[R3] makes other tabs reject with STORE_LOCKED if it hangs, and open again once it answers', async () => {
    const { tab, drop, time } = browser();
    const [, second] = [await tab('a'), await tab('b')];
    drop(({ kind }) => kind === 'answer' || kind === 'lead');
    const [asking, opening] = [second.ask(read), tab('c')];
    const outcome = Promise.all([
      expect(asking).rejects.toMatchObject(locked),
      expect(opening).rejects.toMatchObject(locked),
    ]);
    await time.run(Promise.allSettled([asking, opening]));
    await outcome;
    drop(() => false);
    expect(await second.ask(read)).toBeUndefined();
    expect((await tab('d')).isLeader()).toBe(false);
  });

  test('[R3] does not make other tabs reject while it gives signs of life', async () => {
    const { tab, drop, time } = browser();
    const [, second] = [await tab('a'), await tab('b')];
    drop(({ kind }) => kind === 'answer');
    let isSettled = false;
    second.ask(read).then(
      () => undefined,
      () => {
        isSettled = true;
      },
    );
    await time.pass(300_000);
    expect(isSettled).toBe(false);
  });

  test('[R3] lets other tabs wait while it moves a database', async () => {
    const { tab, waitFor, time } = browser();
    let done: () => void = () => undefined;
    waitFor(
      new Promise((resolve) => {
        done = resolve;
      }),
    );
    const opening = Promise.all([tab('a'), tab('b')]);
    await time.pass(300_000);
    done();
    const [, second] = await opening;
    expect(await second.ask(read)).toBeUndefined();
  });
});
