/**
 * The rules of docs/internals/membership-rules.md, written down as they are on the page: slow,
 * without state, and independent of the product. Tests compare the product with it.
 */
import type { EntryId, LogEntry, Role, SeatName } from '@fixpoint/protocol/storage';

interface RefSeat {
  readonly key: string;
  readonly entry: EntryId;
  readonly person: EntryId;
  readonly kind: 'device' | 'code';
  readonly line: readonly RefSeat[];
  readonly rank: readonly (number | string)[];
}
type Signed = Exclude<LogEntry, { kind: 'join' }>;

const ORDER: readonly Role[] = ['read', 'write', 'admin'];
const isLower = (a: readonly (number | string)[], b: readonly (number | string)[]) => {
  const at = a.findIndex((item, place) => item !== b[place]);
  return at >= 0 && (a[at] as number | string) < (b[at] as number | string);
};

/** Returns the entries that count, and the current seats. */
export function referenceOf(given: readonly LogEntry[], start: EntryId) {
  const byId = new Map(given.map((entry) => [entry.id, entry]));
  const pasts = new Map<EntryId, Set<EntryId> | undefined>();
  const depths = new Map<EntryId, number>();
  const before = (a: EntryId, b: EntryId) => pasts.get(b)?.has(a) === true;

  const introduces = (id: EntryId, key: string, kind?: 'device') => {
    const entry = byId.get(id);
    if (entry === undefined) return false;
    const has = (field: 'device' | 'code') =>
      field in entry &&
      (entry as unknown as Record<string, { sign: string } | undefined>)[field]?.sign === key;
    return has('device') || (kind === undefined && has('code'));
  };
  const isValid = (entry: LogEntry, past: Set<EntryId>): boolean => {
    if (entry.prev.some((id) => entry.prev.some((other) => before(id, other)))) return false;
    if (entry.kind === 'join' || entry.kind === 'start') return true;
    if (!past.has(entry.by.entry) || !introduces(entry.by.entry, entry.by.key)) return false;
    const named =
      'person' in entry
        ? entry.person
        : entry.kind === 'remove' && 'person' in entry.target
          ? entry.target.person
          : start;
    if (!past.has(named) || !['start', 'person'].includes(byId.get(named)?.kind ?? '')) return false;
    if (entry.kind !== 'code' || entry.with === undefined) return true;
    return past.has(entry.with.entry) && introduces(entry.with.entry, entry.with.key, 'device');
  };
  const visit = (id: EntryId): Set<EntryId> | undefined => {
    if (pasts.has(id)) return pasts.get(id);
    const entry = byId.get(id);
    pasts.set(id, undefined);
    if (entry === undefined || (entry.kind === 'start' && id !== start)) return undefined;
    const past = new Set<EntryId>();
    for (const prev of entry.prev) {
      const earlier = visit(prev);
      if (earlier === undefined) return undefined;
      for (const one of [prev, ...earlier]) past.add(one);
    }
    if (!isValid(entry, past)) return undefined;
    pasts.set(id, past);
    depths.set(id, Math.max(0, ...entry.prev.map((prev) => 1 + (depths.get(prev) as number))));
    return past;
  };
  for (const { id } of given) visit(id);
  const entries = given
    .filter(({ id, kind }) => pasts.get(id) !== undefined && kind !== 'join')
    .sort((a, b) => (depths.get(a.id) as number) - (depths.get(b.id) as number)) as Signed[];

  const seats: RefSeat[] = [];
  const pRanks = new Map<EntryId, readonly (number | string)[]>();
  const seatOf = (name: SeatName) => seats.find(({ key, entry }) => key === name.key && entry === name.entry);
  for (const entry of entries) {
    const signer = entry.kind === 'start' ? undefined : seatOf(entry.by);
    const isNew = entry.kind === 'start' || entry.kind === 'person';
    const place = [depths.get(entry.id) as number, entry.id];
    if (isNew) {
      const gen = signer === undefined ? 0 : 1 + ((pRanks.get(signer.person) ?? [])[0] as number);
      pRanks.set(entry.id, [gen, ...place]);
    }
    for (const kind of ['code', 'device'] as const) {
      if (!(kind in entry)) continue;
      const keys = (entry as unknown as Record<string, { sign: string } | undefined>)[kind];
      if (keys === undefined || (!isNew && entry.kind !== kind)) continue;
      const person = isNew ? entry.id : (entry as { person: EntryId }).person;
      const rank = [...(pRanks.get(person) ?? []), kind === 'code' ? 0 : 1, ...place];
      const earlier = isNew || signer === undefined ? [] : signer.line;
      const seat = { key: keys.sign, entry: entry.id, person, kind, rank };
      const line: RefSeat[] = [];
      const whole: RefSeat = { ...seat, line };
      line.push(whole, ...earlier);
      seats.push(whole);
    }
  }
  seats.sort((a, b) => (isLower(a.rank, b.rank) ? -1 : 1));

  const C = new Map<EntryId, Signed>();
  const signerOf = (entry: Signed) => seatOf(entry.by) as RefSeat;
  const roleAt = (person: EntryId, role: Role, at?: EntryId) => {
    const about = [...C.values()].filter(
      (x) => x.id === person || (x.kind === 'role' && x.person === person),
    ) as (Signed & { role: Role })[];
    const gives = (x: { role: Role }) => ORDER.indexOf(x.role) >= ORDER.indexOf(role);
    const G = about.filter((x) => gives(x) && (at === undefined || before(x.id, at)));
    const X = about.filter((x) => !gives(x));
    return (
      G.length > 0 &&
      X.every((x) => (at !== undefined && before(at, x.id)) || G.some((g) => before(x.id, g.id)))
    );
  };
  const above = (s: RefSeat, person: EntryId, at: EntryId) =>
    isLower(pRanks.get(s.person) ?? [], pRanks.get(person) ?? []) && roleAt(s.person, 'admin', at);
  const hits = (x: Signed & { kind: 'remove' }, q: RefSeat) => {
    if ('person' in x.target) return x.target.person === q.person;
    const t = signerOf(x);
    if (x.target.key !== q.key || !isLower(t.rank, q.rank)) return false;
    return t.person === q.person || above(t, q.person, x.id);
  };
  const ends = (s: RefSeat) =>
    [...C.values()].filter((x) => {
      if (x.kind === 'leave') {
        const t = signerOf(x);
        return x.all && t.person === s.person && isLower(t.rank, s.rank) && before(s.entry, x.id);
      }
      if (x.kind !== 'remove') return false;
      const isKept = (m: RefSeat) => x.keep.includes(m.key) && !hits(x, m);
      return s.line.some((q, at) => hits(x, q) && !s.line.slice(0, at).some(isKept));
    });
  const isOwnCode = (s: RefSeat, e: Signed) =>
    e.kind === 'code' && s.kind === 'code' && e.person === s.person;
  const may = (s: RefSeat, e: Signed): boolean => {
    switch (e.kind) {
      case 'start':
        return false;
      case 'person':
        return roleAt(s.person, 'admin', e.id) && (e.role !== 'admin' || e.seen);
      case 'key':
        return roleAt(s.person, 'write', e.id);
      case 'device':
        return s.person === e.person || above(s, e.person, e.id);
      case 'code': {
        const d = e.with && seatOf(e.with);
        const isCosigned = d !== undefined && d.person === s.person && !d.line.includes(s);
        return (isOwnCode(s, e) && isCosigned) || above(s, e.person, e.id);
      }
      case 'role': {
        const isSeen = e.seen || (byId.get(e.person) as Signed & { kind: 'person' }).seen;
        return above(s, e.person, e.id) && (e.role !== 'admin' || isSeen);
      }
      case 'remove':
        if ('person' in e.target) return above(s, e.target.person, e.id);
        return seats.some((q) => before(q.entry, e.id) && hits(e, q));
      case 'leave':
        return true;
    }
  };

  const isLive = (s: RefSeat) => C.has(s.entry) && C.has(s.person);
  const gone = new Map<RefSeat, EntryId[]>();
  const first = byId.get(start);
  if (first?.kind === 'start') C.set(start, first);
  for (const s of seats) {
    if (!isLive(s)) continue;
    const E = ends(s);
    const own = entries.filter((e) => e.kind !== 'start' && signerOf(e) === s);
    const L = own.filter((e) => E.every((x) => before(e.id, x.id)) && may(s, e));
    const named = L.filter((e) => isOwnCode(s, e));
    const T = named.filter((e) => !named.some((other) => before(other.id, e.id)));
    const leaves: EntryId[] = [];
    for (const e of L) {
      const isNext = named.includes(e);
      if (isNext && !(T.length === 1 && T[0] === e)) continue;
      if (!isNext && !T.every((x) => before(e.id, x.id))) continue;
      if (!isNext && leaves.some((x) => before(x, e.id))) continue;
      C.set(e.id, e);
      if (e.kind === 'leave') leaves.push(e.id);
    }
    gone.set(s, [...E.map(({ id }) => id), ...leaves, ...T.map(({ id }) => id)]);
  }
  const current = seats.filter((s) => gone.get(s)?.length === 0);
  const roleOf = (p: EntryId) => (['admin', 'write'] as const).find((r) => roleAt(p, r)) ?? 'read';
  return {
    counting: [...C.keys()].sort(),
    gone: [...new Set([...gone.values()].flat())].sort(),
    current: current.map(({ key, entry }) => `${entry} ${key}`),
    roles: Object.fromEntries(current.map(({ person }) => [person, roleOf(person)])),
  };
}
