/** Creates random membership logs, in which anybody signs anything about anybody. */

import { type EntryId, type LogEntry, ROLES, type SeatName } from '@fixpoint/protocol/storage';
import fc from 'fast-check';
import {
  C0,
  code,
  D1,
  device,
  latestIn,
  leave,
  person,
  removal,
  removalOfKey,
  role,
  rotation,
  START,
  type TestLog,
  testLog,
} from './membership.fixture.ts';
import { presentIn } from './present.ts';

/** Numbers that choose among what exists when the entry is added. */
const step = fc.record({
  by: fc.nat(99),
  what: fc.nat(12),
  who: fc.nat(99),
  other: fc.nat(99),
  role: fc.constantFrom(...ROLES),
  flag: fc.boolean(),
  /** Honest authors know all entries. Others leave some out, and some entries are invalid. */
  sees: fc.constantFrom('all', 'all', 'all', 'some', 'few', 'wrong'),
  /** The ids decide between equal ranks, so they are in no order. */
  id: fc.nat(999),
});
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

export const steps = (maxLength: number, minLength = 1): fc.Arbitrary<Step[]> =>
  fc.array(step, { minLength, maxLength });

const at = <T>(list: readonly T[], place: number): T => list[place % list.length] as T;

export class RandomLog {
  readonly log: TestLog;
  readonly seats: SeatName[] = [D1, C0];
  readonly persons: EntryId[] = [START];
  #id = 0;

  constructor(list: readonly Step[] = []) {
    this.log = testLog((n) => `${String(this.#id).padStart(3, '0')}-${n}`);
    for (const one of list) this.add(one);
  }

  get entries(): readonly LogEntry[] {
    return this.log.entries;
  }

  /** Adds a random entry. @param signers the seats that may sign it */
  add(chosen: Step, signers: readonly SeatName[] = this.seats): EntryId {
    const { log } = this;
    const by = at(signers, chosen.by);
    const key = `k${log.entries.length}`;
    this.#id = chosen.id;
    if (chosen.what === 12 && chosen.flag) return log.join(latestIn(log.entries).slice(0, 3));
    const { content, names } = this.#content(chosen, key);
    const id = log.add(by, content, this.#prev(chosen, [by.entry, ...names]));
    if (content.kind === 'person') this.persons.push(id);
    if (content.kind === 'person' || content.kind === 'device') this.seats.push({ key, entry: id });
    if (content.kind === 'person') this.seats.push({ key: `code of ${key}`, entry: id });
    if (content.kind === 'code') this.seats.push({ key, entry: id });
    return id;
  }

  #content({ what, who, other, role: to, flag }: Step, key: string) {
    const of = at(this.persons, who);
    const seat = at(this.seats, other);
    const keep = flag ? [at(this.seats, other + who).key] : [];
    const about = (content: Parameters<TestLog['add']>[1], ...names: EntryId[]) => ({ content, names });
    if (what < 3) return about(person(key, to, flag || to === 'admin'));
    // A key may be introduced again.
    if (what < 5) return about(device(of, flag ? key : at(this.seats, other).key), of);
    if (what === 5) return about(code(of, key), of);
    if (what === 6) return about(code(of, key, seat), of, seat.entry);
    if (what === 7) return about(role(of, to, flag), of);
    if (what === 8) return about(removal(of, keep), of);
    if (what < 11) return about(removalOfKey(seat.key, keep));
    return what === 11 ? about(leave(flag)) : about(rotation(`data ${key}`));
  }

  #prev({ sees, other, who }: Step, needed: readonly EntryId[]): readonly EntryId[] {
    const { entries } = this.log;
    // An honest device ignores invalid entries.
    if (sees === 'all') return latestIn(presentIn(entries, START).entries);
    if (sees === 'wrong') return [at(entries, who).id];
    return sees === 'few' ? needed : [...needed, at(entries, who).id, at(entries.slice(-4), other).id];
  }
}
