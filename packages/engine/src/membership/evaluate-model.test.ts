/**
 * Random membership logs. Each log has the same result as the rules of the page, and keeps the
 * promises of decision 0155.
 */

import type { EntryId, LogEntry, SeatName } from '@fixpoint/protocol/storage';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { budget, long } from '../../tests/budget.fixture.ts';
import { evaluate, type Membership } from './evaluate.ts';
import { D1, latestIn, pastOf, removal, START } from './membership.fixture.ts';
import { RandomLog, steps } from './random-log.fixture.ts';
import { referenceOf } from './reference.fixture.ts';

const LOGS = budget({ commit: 1500, night: 30_000, release: 100_000 });
const LENGTH = 26;

const countingIn = (entries: readonly LogEntry[], { counts }: Membership) =>
  entries.flatMap(({ id }) => (counts(id) ? [id] : [])).sort();
const currentIn = ({ seats, isCurrent }: Membership) =>
  seats.all.flatMap((seat) => (isCurrent(seat) ? [`${seat.entry} ${seat.key}`] : []));
const isRemovalOf = (entry: LogEntry, person?: EntryId) =>
  entry.kind === 'remove' &&
  'person' in entry.target &&
  (person === undefined || entry.target.person === person);

/** Returns what devices agree about. */
const stateOf = (entries: readonly LogEntry[]) => {
  const found = evaluate(entries, START);
  return { members: found.members, counting: countingIn(entries, found), heads: found.heads };
};

describe(`${LOGS} random logs: the evaluation`, () => {
  const each = (check: (world: RandomLog, found: Membership) => void, length = LENGTH) =>
    fc.assert(
      fc.property(steps(length), (list) => {
        const world = new RandomLog(list);
        check(world, evaluate(world.entries, START));
      }),
      { numRuns: LOGS },
    );

  test('has the same result as the rules of the page', long, () => {
    each(({ entries }, found) => {
      const expected = referenceOf(entries, START);
      expect(countingIn(entries, found)).toEqual(expected.counting);
      expect(currentIn(found)).toEqual(expected.current);
      expect([...found.gone].sort()).toEqual(expected.gone);
      const roles = found.members.map(({ person, role }) => [person, role]);
      expect(Object.fromEntries(roles)).toEqual(expected.roles);
    });
  });

  test('[T75] has one result, in whatever order the entries arrive', long, () => {
    fc.assert(
      fc.property(steps(LENGTH), fc.array(fc.nat(), { minLength: 40, maxLength: 40 }), (list, order) => {
        const { entries } = new RandomLog(list);
        const keyed = entries.map((entry, n) => [order[n % order.length] as number, entry] as const);
        const shuffled = keyed.sort(([a], [b]) => a - b).map(([, entry]) => entry);
        expect(stateOf(shuffled)).toEqual(stateOf(entries));
      }),
      { numRuns: LOGS },
    );
  });

  test('[T76, C1] lets a removed person change nothing, whatever they sign', long, () => {
    fc.assert(
      fc.property(steps(LENGTH), steps(8), (list, late) => {
        const world = new RandomLog(list);
        const before = evaluate(world.entries, START);
        const entries = [...world.entries];
        const removed = entries.find((entry) => isRemovalOf(entry) && before.counts(entry.id));
        if (removed?.kind !== 'remove' || !('person' in removed.target)) return;
        const person = removed.target.person;
        const own: SeatName[] = before.seats.all.filter((seat) => seat.person === person);
        for (const one of late) {
          const known = world.seats.length;
          world.add(one, own);
          own.push(...world.seats.slice(known));
        }
        const after = evaluate(world.entries, START);
        expect(after.members).toEqual(before.members);
        expect(countingIn(world.entries, after)).toEqual(countingIn(entries, before));
      }),
      { numRuns: LOGS },
    );
  });

  test('[C1] voids all entries of a removed person that the removal doesn’t follow', () => {
    each(({ entries }, { counts, seats, past }) => {
      for (const end of entries)
        if (end.kind === 'remove' && 'person' in end.target && counts(end.id))
          for (const one of entries)
            if (seats.signerOf(one)?.person === end.target.person && counts(one.id))
              expect(past.isBefore(one.id, end.id)).toBe(true);
    });
  });

  test('[C11] keeps the founder as an admin', () => {
    each(({ entries }, { members, counts, seats, gone }) => {
      expect(entries.filter((one) => isRemovalOf(one, START) && counts(one.id))).toEqual([]);
      const founder = members.find(({ person }) => person === START);
      if (founder !== undefined) expect(founder.role).toBe('admin');
      // Only the founder can end seats of the founder.
      else
        expect(entries.some((one) => gone.has(one.id) && seats.signerOf(one)?.person === START)).toBe(true);
    });
  });

  test(
    '[C11] lets the founder remove everybody, without losing an entry that the removal follows',
    long,
    () => {
      each(({ entries }, found) => {
        const founder = found.seats.all.find(({ key, entry }) => key === D1.key && entry === START);
        if (founder === undefined || !found.isCurrent(founder)) return;
        const before = countingIn(entries, found);
        for (const { person } of found.members) {
          if (person === START) continue;
          const prev = latestIn(found.past.entries);
          const isReachable = prev.some((id) => id === person || pastOf(entries, id).has(person));
          expect(isReachable).toBe(true);
          const end = { ...removal(person), id: 'end', by: D1, at: 0, prev } as LogEntry;
          const after = evaluate([...entries, end], START);
          expect(after.members.map((one) => one.person)).not.toContain(person);
          expect(countingIn([...entries, end], after)).toEqual([...before, 'end'].sort());
        }
      });
    },
  );

  test('[H1] ranks each signer above everything that their counting entries introduce', () => {
    each((_, { seats, past, counts }) => {
      for (const seat of seats.all) {
        const entry = past.entryOf(seat.entry) as LogEntry;
        const signer = seats.signerOf(entry);
        if (entry.kind !== 'start' && counts(entry.id) && signer !== undefined)
          expect(seats.isAbove(signer, seat)).toBe(true);
      }
    });
  });

  test('[M4] has a reason for each entry that doesn’t count', () => {
    each(({ entries }, { counts, reasonOf }) => {
      for (const { id, kind } of entries)
        if (kind !== 'join') expect(reasonOf(id) === undefined).toBe(counts(id));
    });
  });

  test('[F13] finds heads that lead back to all entries that count', () => {
    each(({ entries }, found) => {
      const { heads, past } = found;
      for (const id of countingIn(entries, found))
        expect(heads.some((head) => head === id || past.isBefore(id, head))).toBe(true);
      for (const head of heads) expect(heads.some((other) => past.isBefore(other, head))).toBe(false);
    });
  });

  test('finds many removals, returns, successors and voids', long, () => {
    const seen = { removals: 0, ends: 0, successors: 0, voids: 0, invalid: 0, roles: 0 };
    each(({ entries }, { counts, reasonOf, gone, seats }) => {
      for (const one of entries) {
        if (isRemovalOf(one) && counts(one.id)) seen.removals++;
        if (one.kind === 'role' && counts(one.id)) seen.roles++;
        if (gone.has(one.id)) seen.ends++;
        if (one.kind === 'code' && gone.has(one.id) && seats.signerOf(one)?.kind === 'code')
          seen.successors++;
        const rule = reasonOf(one.id)?.rule;
        if (rule === 'C1' || rule === 'C14') seen.voids++;
        if (rule !== undefined && /^F|present/.test(rule)) seen.invalid++;
      }
    });
    for (const count of Object.values(seen)) expect(count).toBeGreaterThan(LOGS / 100);
  });
});
