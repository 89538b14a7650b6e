/** Tests the rows in which a device remembers a membership log. */
import { FixpointError } from '@fixpoint/protocol';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { utf8 } from '../../../base/bytes.ts';
import { encode } from '../../../codec/dag-cbor.ts';
import { memoryStore } from '../../../platform/memory-store.ts';
import type { StoreChange } from '../../../ports/byte-store.ts';
import { createLogMemory } from './log-memory.ts';

const PREFIX = 'remote/one/';
const [SEAL, OTHER] = ['04aa', '04bb'];
const NOTHING = { entries: [], rotation: undefined, grants: [], checked: [] };
const ledger = utf8('ledger');

/** Opens the memory of any number of tabs over the same rows. */
function place() {
  const values = new Map<string, Uint8Array>();
  const store = memoryStore(values);
  const saved: (readonly string[])[] = [];
  const fault: { next?: FixpointError | undefined } = {};
  const save = async (changes: readonly StoreChange[]) => {
    const { next } = fault;
    fault.next = undefined;
    if (next !== undefined) throw next;
    saved.push(changes.map(({ key }) => key.slice(PREFIX.length)));
    await store.write(changes);
  };
  const rows = () => store.readPrefix(PREFIX);
  const open = async () => createLogMemory({ ledger, prefix: PREFIX, rows: await rows(), save });
  return { values, saved, fault, rows, open };
}

const stateOf = (memory: Awaited<ReturnType<ReturnType<typeof place>['open']>>) => ({
  texts: new Map(memory.texts()),
  rotation: memory.rotation(),
  grants: [SEAL, OTHER].map((seal) => new Set(memory.grantsTo(seal))),
  waits: memory.waits(),
  dismissed: memory.dismissed(),
});

describe('the memory of a log', () => {
  test('is empty at first', async () => {
    const memory = await place().open();
    expect(stateOf(memory)).toEqual({
      texts: new Map(),
      rotation: undefined,
      grants: [new Set(), new Set()],
      waits: new Set(),
      dismissed: new Set(),
    });
  });

  test('[L1] has after a restart what it learned, in one step', async () => {
    const { open, saved } = place();
    const memory = await open();
    const entries = [
      ['aa', 'S2.first'],
      ['bb', 'S2.second'],
    ] as const;
    await memory.remember({ ...NOTHING, entries, rotation: 'S1.rotation', grants: [[SEAL, 'S1.grant']] });
    expect(saved).toEqual([
      ['entry/aa', 'entry/bb', expect.stringMatching(/^code\/04aa\/[0-9a-f]{64}$/), 'log-rotation'],
    ]);
    expect(stateOf(await open())).toEqual(stateOf(memory));
    expect(memory.texts()).toEqual(new Map(entries));
    expect(memory.grantsTo(SEAL)).toEqual(['S1.grant']);
  });

  test('stores nothing twice, and never another text for an entry', async () => {
    const { open, saved } = place();
    const memory = await open();
    const learned = {
      ...NOTHING,
      entries: [['aa', 'S2.a'] as const],
      rotation: 'r',
      grants: [[SEAL, 'g'] as const],
    };
    await memory.remember(learned);
    await memory.remember(learned);
    await memory.remember({ ...NOTHING, entries: [['aa', 'S2.other']] });
    expect(saved).toHaveLength(1);
    expect(memory.texts().get('aa')).toBe('S2.a');
    // No rotation in a view doesn't mean that the known one is gone.
    await memory.remember(NOTHING);
    expect(memory.rotation()).toBe('r');
  });

  test('replaces the record of the current key', async () => {
    const { open, saved } = place();
    const memory = await open();
    for (const rotation of ['first', 'second', 'second']) await memory.remember({ ...NOTHING, rotation });
    expect([memory.rotation(), (await open()).rotation(), saved.length]).toEqual(['second', 'second', 2]);
  });

  test('knows nothing more if storing fails, and stores it at the next try', async () => {
    const { open, fault } = place();
    const memory = await open();
    const before = stateOf(memory);
    const learned = {
      ...NOTHING,
      entries: [['aa', 'S2.a'] as const],
      rotation: 'r',
      grants: [[SEAL, 'g'] as const],
    };
    const attempts: readonly (() => Promise<void>)[] = [
      () => memory.remember(learned),
      () => memory.setWaits(['aa']),
      () => memory.dismiss('aa'),
    ];
    for (const attempt of attempts) {
      fault.next = new FixpointError('STORE_FULL');
      await expect(attempt()).rejects.toMatchObject({ code: 'STORE_FULL' });
      expect(stateOf(memory)).toEqual(before);
    }
    for (const attempt of attempts) await attempt();
    expect(stateOf(await open())).toMatchObject({
      texts: new Map([['aa', 'S2.a']]),
      rotation: 'r',
      waits: new Set(),
      dismissed: new Set(['aa']),
    });
  });

  test.each(['at once', 'one after another'])('keeps four grants of each code: %s', async (how) => {
    const { open } = place();
    const memory = await open();
    const grants = ['1', '2', '2', '3', '4', '5', '6'].map((text) => [SEAL, text] as const);
    const groups = how === 'at once' ? [grants] : grants.map((one) => [one]);
    for (const group of groups) await memory.remember({ ...NOTHING, grants: group });
    await memory.remember({ ...NOTHING, grants: [[OTHER, '1']] });
    expect(memory.grantsTo(SEAL)).toEqual(['1', '2', '3', '4']);
    expect(new Set((await open()).grantsTo(SEAL))).toEqual(new Set(['1', '2', '3', '4']));
    expect([memory.grantsTo(OTHER), memory.grantsTo('__proto__')]).toEqual([['1'], []]);
  });

  test.each(['at once', 'one after another'])(
    '[L1] rejects a log of more than 16,000,000 characters, and stores no part of what is new: %s',
    async (how) => {
      const { open, saved } = place();
      const memory = await open();
      const text = 'x'.repeat(4_000_000);
      const entries = ['a', 'b', 'c', 'd'].map((id) => [id, text] as const);
      const groups = how === 'at once' ? [entries] : entries.map((one) => [one]);
      for (const group of groups) await memory.remember({ ...NOTHING, entries: group });
      const [before, stored] = [stateOf(memory), saved.length];
      const more = {
        ...NOTHING,
        entries: [...entries, ['e', 'x'] as const],
        rotation: 'r',
        grants: [[SEAL, 'g'] as const],
      };
      // The limit also holds after a restart.
      for (const one of [memory, memory, await open()]) {
        await expect(one.remember(more)).rejects.toMatchObject({ code: 'LIMIT_REACHED' });
        expect(stateOf(one)).toEqual(before);
      }
      expect(saved.length).toBe(stored);
      // Known entries need no room.
      await memory.remember({ ...more, entries });
      expect([memory.rotation(), memory.grantsTo(SEAL)]).toEqual(['r', ['g']]);
    },
  );

  test('has the entries of one ledger only', async () => {
    const { open, values } = place();
    values.set('remote/other/entry/aa', utf8('S2.other'));
    values.set(`${PREFIX}entry/bb`, utf8('S2.own'));
    expect((await open()).texts()).toEqual(new Map([['bb', 'S2.own']]));
  });

  test('keeps names of inherited properties as ids', async () => {
    const { open } = place();
    const memory = await open();
    const ids = ['__proto__', 'constructor', 'toString'];
    await memory.remember({ ...NOTHING, entries: ids.map((id) => [id, `S2.${id}`] as const) });
    await memory.setWaits(ids);
    expect([...(await open()).texts().keys()].sort()).toEqual([...ids].sort());
    expect((await open()).waits()).toEqual(new Set(ids));
  });
});

describe('the memory of the logs that make a device wait', () => {
  test('[L3] keeps them after a restart, until they are taken back', async () => {
    const { open, values, saved } = place();
    const memory = await open();
    await memory.setWaits(['bb', 'aa', 'bb']);
    await memory.setWaits(['aa', 'bb']);
    expect([memory.waits(), (await open()).waits()]).toEqual([new Set(['aa', 'bb']), new Set(['aa', 'bb'])]);
    expect(saved).toEqual([['log-wait']]);
    await memory.setWaits([]);
    expect([memory.waits().size, values.size]).toEqual([0, 0]);
  });

  test('[L3] ends them with a dismissal, but only those that were dismissed', async () => {
    const { open } = place();
    const memory = await open();
    await memory.setWaits(['aa', 'bb']);
    await memory.dismiss('aa');
    await memory.dismiss('aa');
    await memory.dismiss('cc');
    for (const one of [memory, await open()])
      expect([one.waits(), one.dismissed()]).toEqual([new Set(['bb']), new Set(['aa', 'cc'])]);
  });

  test('is the same in another tab once it reads the rows again', async () => {
    const { open, rows } = place();
    const [first, second] = [await open(), await open()];
    await first.remember({ ...NOTHING, entries: [['aa', 'S2.a']], rotation: 'r', grants: [[SEAL, 'g']] });
    await first.setWaits(['aa', 'bb']);
    await first.dismiss('bb');
    second.reload(await rows());
    expect(stateOf(second)).toEqual(stateOf(first));
    // A dismissal in the second tab must not undo that of the first one.
    await second.dismiss('aa');
    first.reload(await rows());
    expect([first.waits(), first.dismissed()]).toEqual([new Set(), new Set(['aa', 'bb'])]);
  });

  test.each([
    ['no array', encode({ aa: true })],
    ['no CBOR', Uint8Array.of(255)],
  ])('rejects a damaged row: %s', async (_, bytes) => {
    const { open, values } = place();
    values.set(`${PREFIX}log-wait`, bytes);
    await expect(open()).rejects.toMatchObject({ code: 'CORRUPT' });
  });

  test('is that of the last calls, whatever these were', async () => {
    const id = fc.constantFrom('aa', 'bb', 'cc', 'dd');
    const step = fc.oneof(
      fc.record({ waits: fc.array(id, { maxLength: 4 }) }),
      fc.record({ dismiss: id }),
      fc.constant('restart' as const),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
        const { open } = place();
        let memory = await open();
        let waits = new Set<string>();
        const dismissed = new Set<string>();
        for (const one of steps) {
          if (one === 'restart') memory = await open();
          else if ('waits' in one) {
            waits = new Set(one.waits);
            await memory.setWaits(one.waits);
          } else {
            waits.delete(one.dismiss);
            dismissed.add(one.dismiss);
            await memory.dismiss(one.dismiss);
          }
          expect([memory.waits(), memory.dismissed()]).toEqual([waits, dismissed]);
        }
      }),
      { numRuns: 60 },
    );
  });
});
