/**
 * Creates random membership logs in which anybody signs anything. Checks that each log keeps the
 * promises of decision 0155, whatever the order in which its entries arrive.
 */
import { describe, expect, test } from 'vitest';
import { budget, long, seed } from '../../tests/budget.fixture.ts';
import { type SeededRandom, seededRandom } from '../testing/seeded-random.ts';
import { type EntryId, type LogEntry, ROLES, type Signer } from './entry.ts';
import { evaluate, type Membership } from './evaluate.ts';
import {
  CODE,
  code,
  device,
  FOUNDER,
  person,
  removal,
  removalOfKey,
  role,
  START,
  testLog,
} from './membership.fixture.ts';
import { pastOf } from './past.ts';
import { ranksOf } from './rank.ts';

const LOGS = budget({ commit: 5000, night: 100_000, release: 1_000_000 });
const ENTRIES_MAX = 30;

function pick<T>(random: SeededRandom, from: readonly T[]): T {
  return from[random.below(from.length)] as T;
}

/** Returns a log of entries by anybody about anybody, on any earlier entries. */
function randomLog(random: SeededRandom): LogEntry[] {
  // The ids decide between equal ranks, so they are in no order.
  const log = testLog((n) => `${random.below(1e6)}-${n}`);
  const signers: Signer[] = [FOUNDER, CODE];
  const persons: EntryId[] = [START];
  const length = 3 + random.below(ENTRIES_MAX);
  while (log.entries.length < length) {
    const by = pick(random, signers);
    const of = pick(random, persons);
    const name = `k${log.entries.length}`;
    const recent = log.entries.slice(-4).map(({ id }) => id);
    // Most authors are honest and know all entries. The others back-date their entries.
    const prev =
      random.below(3) > 0 ? undefined : [pick(random, recent), pick(random, log.entries).id, by.entry];
    switch (random.below(9)) {
      case 0:
      case 1:
      case 2: {
        const entry = log.add(by, person(name, pick(random, ROLES)), prev);
        persons.push(entry);
        signers.push({ key: name, entry }, { key: `${name} code`, entry });
        break;
      }
      case 3:
        signers.push({ key: name, entry: log.add(by, device(of, name), prev) });
        break;
      case 4:
        signers.push({ key: name, entry: log.add(by, code(of, name), prev) });
        break;
      case 5:
        log.add(by, role(of, pick(random, ROLES)), prev);
        break;
      case 6:
        log.add(by, removal(of), prev);
        break;
      case 7:
        log.add(by, removalOfKey(pick(random, signers).key), prev);
        break;
      default:
        log.add(by, { kind: 'leave' }, prev);
    }
  }
  return log.entries;
}

function shuffled<T>(random: SeededRandom, list: readonly T[]): T[] {
  const left = [...list];
  return list.map(() => left.splice(random.below(left.length), 1)[0] as T);
}

const countingIn = (entries: readonly LogEntry[], { counts }: Membership) =>
  entries.flatMap(({ id }) => (counts(id) ? [id] : []));

describe(`${LOGS} random logs: the evaluation`, () => {
  const each = (check: (entries: LogEntry[], random: SeededRandom) => void) => {
    const random = seededRandom(seed());
    for (let n = 0; n < LOGS; n++) check(randomLog(random), random);
  };

  test('returns one result, in whatever order the entries arrive', long, () => {
    each((entries, random) => {
      const found = evaluate(entries, START);
      const again = evaluate(shuffled(random, entries), START);
      expect(again.members).toEqual(found.members);
      expect(countingIn(entries, again)).toEqual(countingIn(entries, found));
    });
  });

  test('keeps the founder as an admin', () => {
    each((entries) => {
      const { members, counts } = evaluate(entries, START);
      const { signerOf } = ranksOf(pastOf(entries), START);
      const ended = entries.some((one) => counts(one.id) && endsKeys(one) && signerOf(one)?.person === START);
      const found = members.find((one) => one.person === START)?.role;
      // Only the founder can end keys of the founder.
      expect(found ?? (ended ? 'admin' : 'removed')).toBe('admin');
    });
  });

  test('gives a key the same rights with and without the entries of lower signers', () => {
    each((entries, random) => {
      const past = pastOf(entries);
      const { seats, signerOf } = ranksOf(past, START);
      const found = evaluate(entries, START);
      const seat = pick(random, seats);
      const above = new Set(seats.slice(0, seats.indexOf(seat) + 1));
      const ofAbove = entries.filter((one) => {
        const signer = signerOf(one);
        return signer !== undefined && above.has(signer);
      });
      // Entries of lower signers stay in the log, because others follow them, but change nothing.
      const silent = entries.map((one): LogEntry => {
        const signer = signerOf(one);
        if (signer === undefined || above.has(signer) || introduces(one)) return one;
        return { id: one.id, prev: one.prev, by: one.by, kind: 'leave' };
      });
      expect(countingIn(ofAbove, evaluate(silent, START))).toEqual(countingIn(ofAbove, found));
    });
  });

  test('voids all entries of a removed person that the removal does not follow', () => {
    each((entries) => {
      const past = pastOf(entries);
      const { signerOf } = ranksOf(past, START);
      const { counts } = evaluate(entries, START);
      for (const end of entries) {
        if (end.kind !== 'remove' || !('person' in end.target) || !counts(end.id)) continue;
        for (const one of entries)
          if (signerOf(one)?.person === end.target.person && counts(one.id))
            expect(past.isBefore(one.id, end.id)).toBe(true);
      }
    });
  });

  test('lets a removed person change nothing, whatever keys and persons they add', () => {
    each((entries, random) => {
      const { counts, members } = evaluate(entries, START);
      const end = entries.find((one) => one.kind === 'remove' && 'person' in one.target && counts(one.id));
      if (end?.kind !== 'remove' || !('person' in end.target)) return;
      const removed = end.target.person;
      const { seats } = ranksOf(pastOf(entries), START);
      const own = seats.filter((seat) => seat.person === removed);
      const signers: Signer[] = [...own];
      const more = [...entries];
      for (let n = 0; n < 10; n++) {
        const by = pick(random, signers);
        const prev = [by.entry, pick(random, more).id];
        const id = `${random.below(1e6)}-late-${n}`;
        const of = pick(random, members)?.person ?? START;
        const contents = [person(id, 'admin'), device(of, id), code(of, id), removal(of), role(of, 'read')];
        more.push({ ...pick(random, contents), id, prev, by } as LogEntry);
        signers.push({ key: id, entry: id });
      }
      expect(evaluate(more, START).members).toEqual(members);
    });
  });

  test('rejects an entry of a removed person that is repeated with another past', () => {
    each((entries, random) => {
      const { counts } = evaluate(entries, START);
      const one = pick(random, entries);
      if (one.kind === 'start' || counts(one.id)) return;
      // An entry that didn't count because of a removal doesn't count with a shorter past either.
      const copy = { ...one, id: `${one.id}-copy`, prev: [one.by.entry] } as LogEntry;
      const ends = entries.filter((end) => end.kind === 'remove' && counts(end.id));
      const { signerOf } = ranksOf(pastOf(entries), START);
      const removed = ends.some(
        (end) =>
          end.kind === 'remove' && 'person' in end.target && end.target.person === signerOf(one)?.person,
      );
      if (removed) expect(evaluate([...entries, copy], START).counts(copy.id)).toBe(false);
    });
  });
});

const introduces = ({ kind }: LogEntry) =>
  kind === 'start' || kind === 'person' || kind === 'device' || kind === 'code';

const endsKeys = ({ kind }: LogEntry) => kind === 'leave' || kind === 'remove' || kind === 'code';
