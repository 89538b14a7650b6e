/** Tests which members a device reports because their events name entries that it doesn't have. */
import { FixpointError } from '@fixpoint/protocol';
import { describe, expect, test } from 'vitest';
import type { EventRules, LoggedEvent } from '../../membership/events.ts';
import type { StoreChange } from '../../ports/byte-store.ts';
import { createUnknownNames, type UnknownName, unknownNamesIn } from './unknown-names.ts';

const PREFIX = 'remote/r/secret/';
const MINUTE = 60_000;
const of = (key: string, name = 'entry'): UnknownName => ({ name, key });

function place() {
  const rows = new Map<string, Uint8Array>();
  const reports: string[] = [];
  const clock = { now: 1 };
  const counts = { refreshed: 0 };
  const fault: { next?: FixpointError | undefined } = {};
  /** Keys without the right to write, and names whose entries arrived. */
  const ended = new Set<string>();
  const put = (changes: readonly StoreChange[]) => {
    for (const { key, bytes } of changes)
      if (bytes === undefined) rows.delete(key);
      else rows.set(key, bytes);
  };
  const open = () => {
    const parts = {
      ...{ prefix: PREFIX, rows: new Map(rows), now: () => clock.now },
      save: async (changes: readonly StoreChange[]) => {
        if (fault.next !== undefined) throw fault.next;
        put(changes);
      },
      report: (error: unknown) => void reports.push((error as Error).message),
      refresh: () => {
        counts.refreshed += 1;
      },
    };
    const names = createUnknownNames(parts, async () => new Map(rows));
    const isKnown = (name: string) => ended.has(name);
    const memberOf = ({ name, key }: UnknownName) => (ended.has(name) || ended.has(key) ? undefined : key);
    return {
      ...names,
      entries: names.unconfirmed,
      unconfirmed: () => [...new Set(names.unconfirmed().map(({ member }) => member))],
      /** Confirms entries; by default all that the user is asked about. */
      confirm: (entries = names.unconfirmed()) => names.confirm(entries),
      /** Checks events with these names, and stores the questions before another tab goes on. */
      check: async (...found: UnknownName[]) => {
        const next = await names.next(found, { isKnown, memberOf });
        put(next.rows);
        names.take(next);
        return next.rows.length;
      },
      /** Checks events, and returns a function that stores the questions later. */
      begin: async (...found: UnknownName[]) => {
        const next = await names.next(found, { isKnown, memberOf });
        return () => {
          put(next.rows);
          names.take(next);
        };
      },
    };
  };
  return { rows, reports, clock, counts, fault, ended, open };
}

describe('names that are unknown', () => {
  test('[E7] stores a writer’s unknown name at first sight, and requests one list', async () => {
    const { open, counts, ended } = place();
    const names = open();
    ended.add('Eve');
    const stored = [
      await names.check(of('Bob')),
      await names.check(of('Bob'), of('Eve')),
      await names.check(),
    ];
    expect(stored).toEqual([1, 0, 0]);
    expect(counts.refreshed).toBe(1);
    await names.check(of('Bob', 'other'));
    expect(counts.refreshed).toBe(2);
  });

  test('[E7] reports a member after a minute, and once', async () => {
    const { open, clock, reports } = place();
    const names = open();
    await names.check(of('Bob'));
    clock.now += MINUTE - 1;
    await names.check(of('Bob'));
    names.report();
    expect([reports, names.unconfirmed()]).toEqual([[], []]);
    clock.now += 1;
    await names.check(of('Bob', 'other'));
    clock.now += MINUTE;
    for (let again = 0; again < 2; again++) names.report();
    expect(reports).toEqual([expect.stringContaining('unknown entry entry in an event of Bob')]);
    expect(names.unconfirmed()).toEqual(['Bob']);
  });

  test('[E7] reports a name from before the restart at once, unless it is new', async () => {
    const { open } = place();
    await open().check(of('Bob'));
    const names = open();
    expect(names.unconfirmed()).toEqual([]);
    await names.check(of('Eve'));
    expect(names.unconfirmed()).toEqual(['Bob']);
  });

  test('[E7] forgets an entry that arrived, and asks about no member who may not write', async () => {
    const { open, clock, rows, ended } = place();
    const names = open();
    await names.check(of('Bob', 'one'), of('Eve', 'two'), of('Will', 'three'));
    clock.now += MINUTE;
    ended.add('Bob').add('two');
    await names.check();
    expect(names.unconfirmed()).toEqual(['Will']);
    ended.add('three');
    await names.check();
    expect([names.unconfirmed(), rows.size]).toEqual([[], 1]);
    // A tab that doesn't know yet that Bob may write doesn't end the question.
    ended.delete('Bob');
    await names.check();
    expect(names.unconfirmed()).toEqual(['Bob']);
    ended.add('one');
    await names.confirm();
    await names.check();
    expect([names.unconfirmed(), rows.size]).toEqual([[], 0]);
  });

  test('[E7] asks about at most 100 names of each key, and not again after an answer', async () => {
    const { open, clock, counts } = place();
    const names = open();
    const many = Array.from({ length: 101 }, (_, at) => of('Bob', `entry ${at}`));
    await names.check(...many, of('Eve'));
    clock.now += MINUTE;
    expect(names.unconfirmed()).toEqual(['Bob', 'Eve']);
    await names.confirm();
    for (let again = 0; again < 3; again++) {
      expect(await names.check(...many, of('Bob', 'later'))).toBe(0);
      clock.now += MINUTE;
    }
    expect([names.unconfirmed(), counts.refreshed]).toEqual([[], 1]);
    await names.check(of('Eve', 'later'));
    clock.now += MINUTE;
    expect(names.unconfirmed()).toEqual(['Eve']);
  });
});

describe('a confirmation', () => {
  test('[E7] lasts over restarts, and covers only names that the user was asked about', async () => {
    const { open, clock, reports } = place();
    const names = open();
    await names.check(of('Bob'));
    clock.now += MINUTE;
    await names.check(of('Bob', 'other'));
    await names.confirm();
    expect(names.unconfirmed()).toEqual([]);
    clock.now += MINUTE;
    expect(names.unconfirmed()).toEqual(['Bob']);
    await names.confirm();
    const again = open();
    await again.check(of('Bob'));
    again.report();
    expect([again.unconfirmed(), reports]).toEqual([[], []]);
  });

  test('[E7] covers only the entries that the user was shown, of one member or several', async () => {
    const { open, clock } = place();
    const names = open();
    await names.check(of('Bob', 'one'), of('Eve'));
    clock.now += MINUTE;
    const shown = names.entries();
    await names.check(of('Bob', 'two'));
    clock.now += MINUTE;
    await names.confirm(shown.filter(({ member }) => member === 'Bob'));
    expect(names.entries()).toEqual([{ id: 'two/Bob', member: 'Bob' }, ...shown.slice(1)]);
    await names.confirm([...shown, { id: 'three/Bob', member: 'Bob' }]);
    await names.check(of('Bob', 'three'));
    clock.now += MINUTE;
    expect(names.entries().map(({ id }) => id)).toEqual(['three/Bob', 'two/Bob']);
  });

  test('[E7] has no effect if it could not be stored', async () => {
    const { open, clock, fault } = place();
    const names = open();
    await names.check(of('Bob'));
    clock.now += MINUTE;
    fault.next = new FixpointError('STORE_FULL');
    await expect(names.confirm()).rejects.toMatchObject({ code: 'STORE_FULL' });
    expect(names.unconfirmed()).toEqual(['Bob']);
  });
});

describe('a question of one of two tabs', () => {
  test('[E7] lasts over a restart, in whatever order the tabs store their questions', async () => {
    const { open, clock, rows } = place();
    const [one, other] = [open(), open()];
    const [first, second] = [await one.begin(of('Bob')), await other.begin(of('Eve'))];
    first();
    second();
    await one.check();
    clock.now += MINUTE;
    await other.check(of('Will'));
    expect([one.unconfirmed(), other.unconfirmed()]).toEqual([
      ['Bob', 'Eve'],
      ['Bob', 'Eve'],
    ]);
    const later = open();
    await later.check();
    expect([later.unconfirmed(), rows.size]).toEqual([['Bob', 'Eve', 'Will'], 3]);
  });

  test('[E7] ends in both with an answer, which no later write of the other tab undoes', async () => {
    const { open, clock } = place();
    const [one, other] = [open(), open()];
    await one.check(of('Bob'));
    await other.check();
    clock.now += MINUTE;
    const late = await other.begin(of('Bob'), of('Eve'));
    await one.confirm();
    late();
    await other.check();
    clock.now += MINUTE;
    expect([one.unconfirmed(), other.unconfirmed()]).toEqual([[], ['Eve']]);
    const later = open();
    await later.check();
    expect(later.unconfirmed()).toEqual(['Eve']);
  });

  test('[E7] has its minute from the first sight of any tab, unless a clock was wrong', async () => {
    const { open, clock } = place();
    const [one, other] = [open(), open()];
    await one.check(of('Bob'));
    clock.now += MINUTE;
    await other.check();
    expect(other.unconfirmed()).toEqual(['Bob']);
    clock.now += MINUTE;
    await one.check(of('Eve'));
    clock.now -= 3 * MINUTE;
    await other.check();
    clock.now += MINUTE;
    expect(other.unconfirmed()).toContain('Eve');
  });
});

test('[E7] finds names in new events below others, and stops at events that were here', async () => {
  const chain = ['e4', 'e3', 'e2', 'e1', 'e0'];
  const eventOf = async (id: string): Promise<LoggedEvent | undefined> => {
    const at = chain.indexOf(id);
    return at < 0 ? undefined : { id, parents: [chain[at + 1] ?? 'not here'], names: `name of ${id}` };
  };
  const rules = {
    unknownNamer: async ({ id }: LoggedEvent) => (id === 'e3' ? undefined : { key: 'W' }),
    // It may name a log that its founder withdrew.
    isBeforeLog: async ({ id }: LoggedEvent) => id === 'e0',
  } as unknown as EventRules;
  const namesFrom = async (isNew: (id: string) => boolean) =>
    (await unknownNamesIn(rules, eventOf, ['e4'], isNew)).map(({ name }) => name);
  expect(await namesFrom((id) => id > 'e1')).toEqual(['name of e4', 'name of e2']);
  expect(await namesFrom(() => true)).toEqual(['name of e4', 'name of e2', 'name of e1']);
});
