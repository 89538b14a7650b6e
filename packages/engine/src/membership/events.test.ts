/** Events: the cases T55 to T64 of docs/internals/membership-rules.md. */

import type { EntryId, SeatName } from '@fixpoint/protocol/storage';
import { describe, expect, test } from 'vitest';
import { deviceIdOf, EventRules, type LoggedEvent, nameOf } from './events.ts';
import {
  addDevice,
  admit,
  C0,
  D1,
  leave,
  person,
  removal,
  removalOfKey,
  resultOf,
  role,
  START,
  type TestLog,
  teamLog,
} from './membership.fixture.ts';

type TestEvent = LoggedEvent & { readonly signer?: string };

/** A history of events, whose ids are e1, e2 and so on. */
function history() {
  const events = new Map<string, TestEvent>();
  const isBefore = (id: string, other: string): boolean =>
    (events.get(other)?.parents ?? []).some((parent) => parent === id || isBefore(id, parent));
  return {
    events,
    /** @param parents by default the newest event */
    add: (
      { key }: Pick<SeatName, 'key'>,
      names: EntryId | undefined,
      parents: readonly string[] = [...events.keys()].slice(-1),
    ): string => {
      const id = `e${events.size + 1}`;
      const name = names === undefined ? undefined : nameOf(names);
      events.set(id, { id, parents, device: deviceIdOf(key), names: name, signer: key });
      return id;
    },
    rulesOf: (log: TestLog) =>
      new EventRules(
        resultOf(log),
        {
          eventOf: async (id) => events.get(id),
          idOf: (id) => id,
          latestOf: async (ids) => ids.filter((id) => !ids.some((other) => isBefore(id, other))),
          isSignedBy: async (event, key) => (event as TestEvent).signer === key,
        },
        START,
      ),
  };
}
type History = ReturnType<typeof history>;

const isDirect = async ({ events, rulesOf }: History, log: TestLog, ...ids: string[]) => {
  const rules = rulesOf(log);
  const seats = await Promise.all(ids.map((id) => rules.directSeatOf(events.get(id) as TestEvent)));
  return seats.map((seat) => seat !== undefined);
};
/** Accepts the newest events and what they lead to. */
function accepted({ events, rulesOf }: History, log: TestLog) {
  const followed = new Set([...events.values()].flatMap(({ parents }) => parents));
  return rulesOf(log).accept([...events.keys()].filter((id) => !followed.has(id)));
}
async function labelIn(world: History, log: TestLog, id: string) {
  const rules = world.rulesOf(log);
  const { head } = await accepted(world, log);
  return rules.labelOf(world.events.get(id) as TestEvent, head);
}

const cutBy = <T extends { cut: readonly string[] }>(content: T, ...cut: string[]) => ({ ...content, cut });

describe('an event', () => {
  test('[T55] is direct only in the cut of the removal of its signer', async () => {
    const { log, W } = teamLog();
    const world = history();
    const [e1, e2] = [world.add(W.by, W.entry), world.add(W.by, W.entry)] as [string, string];
    expect(await isDirect(world, log, e1, e2)).toEqual([true, true]);
    log.add(D1, cutBy(removal(W.entry), e1));
    expect(await isDirect(world, log, e1, e2)).toEqual([true, false]);
    expect(await accepted(world, log)).toMatchObject({ head: [e1], withheld: [e2] });
  });

  test('[T56] is direct after a loss of the right to write only in its cut, or after a new grant', async () => {
    const { log, W } = teamLog();
    const world = history();
    const inCut = world.add(W.by, W.entry);
    const lost = log.add(D1, cutBy(role(W.entry, 'read'), inCut));
    const again = log.add(D1, role(W.entry, 'write'));
    const others = [W.entry, lost, again].map((name) => world.add(W.by, name));
    expect(await isDirect(world, log, inCut, ...others)).toEqual([true, false, false, true]);
  });

  test('[T57] is direct only if it names an entry that follows the introduction of its device', async () => {
    const { log, W, R } = teamLog();
    const W2 = addDevice(log, W.entry, 'W2', W.by);
    const world = history();
    const ids = [W.entry, R.entry, W2.entry].map((name) => world.add(W2, name));
    expect(await isDirect(world, log, ...ids)).toEqual([false, false, true]);
  });

  test('[T57] is direct only if its person may write according to the entry that it names', async () => {
    const { log, R } = teamLog();
    const before = log.add(D1, person('P', 'read'));
    const grant = log.add(D1, role(R.entry, 'write'));
    const world = history();
    const ids = [before, grant].map((name) => world.add(R.by, name));
    expect(await isDirect(world, log, ...ids)).toEqual([false, true]);
  });

  test('[C14] is never direct if the introduction of its device doesn’t count', async () => {
    const { log, W, R } = teamLog();
    const planted = addDevice(log, W.entry, 'planted', R.by);
    const world = history();
    expect(await isDirect(world, log, world.add(planted, planted.entry))).toEqual([false]);
  });

  test('[T58, E1] is never direct without a name, and accepted if its author signs another one on it', async () => {
    const { log, W } = teamLog();
    const world = history();
    const old = world.add(W.by, undefined);
    expect(await accepted(world, log)).toMatchObject({ head: [], withheld: [old] });
    const empty = world.add(W.by, W.entry);
    expect(await accepted(world, log)).toMatchObject({ head: [empty], withheld: [] });
    expect(await labelIn(world, log, old)).toMatchObject({ kind: 'vouched for', by: empty, knew: false });
  });

  test('[E1] is accepted in the cut of the start', async () => {
    const world = history();
    const [e1, e2] = [world.add({ key: 'any' }, undefined), world.add({ key: 'any' }, undefined)];
    const { log } = teamLog();
    log.entries[0] = { ...log.entries[0], cut: [e1] } as (typeof log.entries)[0];
    expect(await accepted(world, log)).toMatchObject({ head: [e1], withheld: [e2] });
    expect(await labelIn(world, log, e1 as string)).toEqual({ kind: 'before the log' });
    expect(await labelIn(world, log, e2 as string)).toBeUndefined();
  });

  test('[T59, E2] is never direct if a recovery code signed it', async () => {
    const { log, R } = teamLog();
    const world = history();
    expect(await isDirect(world, log, world.add(C0, R.entry), world.add(D1, R.entry))).toEqual([false, true]);
  });

  test('[T60] is direct if it names the join of two heads, of which one gave the right to write', async () => {
    const { log, A, R } = teamLog();
    const other = log.add(A.by, person('P', 'read'), [R.entry]);
    const grant = log.add(D1, role(R.entry, 'write'), [R.entry]);
    const join = log.join([other, grant]);
    const world = history();
    const ids = [other, grant, join].map((name) => world.add(R.by, name));
    expect(await isDirect(world, log, ...ids)).toEqual([false, true, true]);
  });

  test('[T60] is direct only if all entries with this name allow it', async () => {
    const { log, W } = teamLog();
    const same = 'a'.repeat(32);
    const follows = (id: string, prev: string) =>
      log.entries.push({ id, prev: [prev], by: D1, at: 0, ...person(id, 'read') });
    follows(`${same}1`, W.entry);
    const world = history();
    const id = world.add(W.by, `${same}1`);
    expect(await isDirect(world, log, id)).toEqual([true]);
    follows(`${same}2`, START);
    expect(await isDirect(world, log, id)).toEqual([false]);
  });

  test('[T61, E3] is in a cut if the cut lists it or one that follows it', async () => {
    const { log, W } = teamLog();
    const W2 = addDevice(log, W.entry, 'W2', W.by);
    const world = history();
    const root = world.add(W2, W2.entry);
    const heads = [1, 2].map(() => world.add(W2, W2.entry, [root]));
    const late = world.add(W2, W2.entry, [root]);
    log.add(W.by, cutBy(removalOfKey('W2'), ...heads, 'not here'));
    expect(await isDirect(world, log, root, ...heads, late)).toEqual([true, true, true, false]);
  });

  test('[T62, E4] is accepted in one of two cuts if the listed event is direct', async () => {
    const { log, A, W, R } = teamLog();
    const world = history();
    const e = world.add(W.by, W.entry);
    const cutEvent = world.add(A.by, R.entry);
    log.add(A.by, cutBy(removal(W.entry), cutEvent), [R.entry]);
    log.add(D1, removal(W.entry), [R.entry]);
    expect(await isDirect(world, log, e)).toEqual([false]);
    expect(await accepted(world, log)).toMatchObject({ head: [cutEvent], withheld: [] });
    expect(await labelIn(world, log, e)).toMatchObject({
      ...{ kind: 'vouched for', by: cutEvent, knew: false, seat: { key: 'A' } },
    });
  });

  test('[E4] is direct only in the cuts of all removals of its signer', async () => {
    const { log, A, W, R } = teamLog();
    const world = history();
    const ids = [1, 2, 3, 4].map(() => world.add(W.by, W.entry, []));
    const [both, first, second] = ids as [string, string, string];
    log.add(A.by, cutBy(removal(W.entry), both, first), [R.entry]);
    log.add(D1, cutBy(removal(W.entry), both, second), [R.entry]);
    expect(await isDirect(world, log, ...ids)).toEqual([true, false, false, false]);
  });

  test('leaves the head once another accepted event follows it', async () => {
    const { log, W, R } = teamLog();
    const world = history();
    const first = world.add(W.by, R.entry);
    const second = world.add(W.by, R.entry);
    const late = world.add(W.by, undefined, [first]);
    expect(await accepted(world, log)).toMatchObject({ head: [second], withheld: [late] });
  });

  test.each([
    ['[T63, E5] is shown as vouched for by a member who knew of the removal', true],
    ['[E5] is shown as vouched for by a member who did not know of the removal', false],
  ])('%s', async (_, knew) => {
    const { log, A, W, R } = teamLog();
    const end = log.add(D1, removal(A.entry));
    const world = history();
    world.add(W.by, knew ? end : R.entry);
    const late = world.add(A.by, R.entry);
    const built = world.add(W.by, R.entry);
    expect(await labelIn(world, log, late)).toMatchObject({ kind: 'vouched for', by: built, knew });
    expect(await labelIn(world, log, built)).toMatchObject({ kind: 'verified', seat: { key: 'W' } });
  });

  test('[E5] is vouched for without knowledge if only the event of somebody else named the removal', async () => {
    const { log, A, B, W, R } = teamLog();
    const end = log.add(D1, removal(A.entry));
    const world = history();
    world.add(B.by, end);
    const late = world.add(A.by, R.entry);
    world.add(W.by, R.entry);
    expect(await labelIn(world, log, late)).toMatchObject({ knew: false, seat: { key: 'W' } });
  });

  test('[E5] is vouched for by the nearest direct event, then the one with the lowest CID', async () => {
    const { log, A, W, R } = teamLog();
    const world = history();
    const old = world.add(W.by, undefined);
    const between = world.add(W.by, undefined, [old]);
    world.add(A.by, R.entry, [between]);
    const [near] = [W.by, A.by].map((by) => world.add(by, R.entry, [old]));
    expect(await labelIn(world, log, old)).toMatchObject({ by: near });
  });

  test('[T64, E7] stays withheld with an unknown name, and shows its signer once', async () => {
    const { log, W, R } = teamLog();
    const world = history();
    const honest = world.add(W.by, R.entry);
    const ids = [world.add(W.by, 'unknown 1'), world.add(W.by, 'unknown 2')];
    const byReader = world.add(R.by, 'unknown 3', [honest]);
    expect(await accepted(world, log)).toMatchObject({ head: [honest], withheld: [...ids, byReader] });
    const rules = world.rulesOf(log);
    const namers = await Promise.all([...world.events.values()].map((event) => rules.unknownNamer(event)));
    expect([...new Set(namers)].filter((seat) => seat !== undefined)).toMatchObject([{ person: W.entry }]);
    const W2 = addDevice(log, W.entry, 'W2', W.by);
    const removed = world.events.get(world.add(W2, 'unknown 4')) as TestEvent;
    expect(await world.rulesOf(log).unknownNamer(removed)).toMatchObject({ key: 'W2' });
    log.add(W.by, removalOfKey('W2'));
    expect(await world.rulesOf(log).unknownNamer(removed)).toBeUndefined();
  });

  test('[T10, C3, J3] is direct after its signer returned, if it names an entry after the return', async () => {
    const { log, W, R } = teamLog();
    const end = log.add(D1, removal(W.entry));
    const again = admit(log, 'W', 'write');
    const world = history();
    const ids = [W.entry, R.entry, end, again.entry].map((name) => world.add(W.by, name));
    expect(await isDirect(world, log, ...ids)).toEqual([false, false, false, true]);
  });

  test('[T22, C4] stays direct until a removal confirms that its signer left', async () => {
    const { log, W } = teamLog();
    const left = log.add(W.by, leave());
    const world = history();
    const id = world.add(W.by, left);
    expect(await isDirect(world, log, id)).toEqual([true]);
    log.add(D1, removal(W.entry));
    expect(await isDirect(world, log, id)).toEqual([false]);
  });

  test('[E2] is direct only if the key of the seat signed it, not another key with its device id', async () => {
    const { log, W } = teamLog();
    const world = history();
    const id = world.add(W.by, W.entry);
    world.events.set(id, { ...(world.events.get(id) as TestEvent), signer: 'other' });
    expect(await isDirect(world, log, id)).toEqual([false]);
    const key = `02${'ab'.repeat(16)}${'cd'.repeat(16)}`;
    expect([deviceIdOf(key), nameOf(key.slice(2))]).toEqual(['ab'.repeat(16), 'ab'.repeat(16)]);
  });

  test('says why it isn’t accepted, and who signed it', async () => {
    const { log, W, R } = teamLog();
    const world = history();
    const end = log.add(D1, removal(W.entry));
    const ids = [
      world.add({ key: 'stranger' }, R.entry),
      world.add(R.by, undefined),
      world.add(R.by, 'unknown'),
      world.add(R.by, end),
      world.add(W.by, R.entry),
    ];
    const forged = world.add(W.by, R.entry);
    world.events.set(forged, { ...(world.events.get(forged) as TestEvent), signer: 'stranger' });
    const rules = world.rulesOf(log);
    const found = await Promise.all(
      [...ids, forged].map((id) => rules.reasonOf(world.events.get(id) as TestEvent)),
    );
    expect(found.map(({ reason, seat }) => [reason, seat?.key])).toEqual([
      ['unknown device', undefined],
      ['names nothing', 'R'],
      ['unknown entry', 'R'],
      ['no right', 'R'],
      ['removed', 'W'],
      ['not signed', undefined],
    ]);
    const signatures = await Promise.all(
      [...ids, forged].map((id) => rules.signatureOf(world.events.get(id) as TestEvent)),
    );
    expect(signatures).toEqual(['unknown', 'valid', 'valid', 'valid', 'valid', 'bad']);
  });

  test('[E6] names no signer whose entry never counted, and the live seat of a key with several', async () => {
    const { log, W, R } = teamLog();
    const ada = admit(log, 'Ada', 'write', R.by);
    const again = addDevice(log, R.entry, 'W', R.by);
    log.add(D1, removal(W.entry));
    const world = history();
    const reasonOf = (by: { key: string }, names: string) =>
      world.rulesOf(log).reasonOf(world.events.get(world.add(by, names)) as TestEvent);
    expect(await reasonOf(ada.by, ada.entry)).toEqual({ reason: 'unknown device' });
    expect(await reasonOf(W.by, again.entry)).toMatchObject({ reason: 'removed', seat: { person: W.entry } });
  });

  test('reports events that aren’t here, and accepts the others', async () => {
    const { log, W, R } = teamLog();
    const world = history();
    const here = world.add(W.by, R.entry);
    const late = world.add(R.by, R.entry, [here, 'not here']);
    const result = await world.rulesOf(log).accept([late]);
    expect(result).toEqual({ head: [here], withheld: [late], own: [], missing: ['not here'] });
  });
});
