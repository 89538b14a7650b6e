/**
 * Follows the membership log of a sealed ledger: learns its entries and data keys, and decides
 * whether this device may seal, and under which key. Nothing that the server reports about users
 * and rights counts (docs/internals/membership-rules.md).
 */
import { type ErrorCode, FixpointError } from '@fixpoint/protocol';
import {
  decodeEntry,
  type EntryId,
  type GrantRecord,
  isEntryText,
  isGreetingText,
  isLaterForm,
  type LogEntry,
  parseKeyRecord,
  rotationOf,
} from '@fixpoint/protocol/storage';
import { hex } from '../../base/bytes.ts';
import type { KeyPair } from '../../base/p256.ts';
import { sha256 } from '../../codec/sha256.ts';
import type { LedgerFork, LedgerKeys, LedgerLog } from '../../crypto/ledger-keys.ts';
import { entriesIn, type SeenEntries, type Starts } from '../../crypto/log/listed-starts.ts';
import type { LocalNames } from '../ledger/local-names.ts';
import { type LogView, newChecks, rememberedView, viewOfLog } from '../ledger/log-view.ts';
import { namedBy } from './event-name.ts';
import { createNews, type LogNews } from './log-news.ts';
import {
  describeLog,
  entriesOf,
  type Followed,
  forkOfLogs,
  forksIn,
  gapsIn,
  type OwnState,
  once,
  personOf,
  reasonOfUnknown,
  reasonToWait,
  seatOf,
} from './log-state.ts';
import { grantsTo, lostGroups, provenIn, rotationsIn, seatGrantsIn } from './log-texts.ts';
import { createLogMemory, type LogMemoryParts } from './stored/log-memory.ts';
import { createSnapshot } from './stored/log-snapshot.ts';

/** For how long a part of the log may be missing before the device reports it (N5). */
const GAP_MS = 60_000;

export interface FollowerParts extends LogMemoryParts {
  /** See `ledgerBytes`. */
  readonly ledger: Uint8Array;
  readonly keys: LedgerKeys;
  readonly now: () => number;
  readonly report: (error: unknown) => void;
  readonly names: Pick<LocalNames, 'of'>;
  /** Reads the rows with a prefix, which other tabs may have changed. */
  readonly reread: (prefix: string) => Promise<ReadonlyMap<string, Uint8Array>>;
  /** After how many days without news of others the device says so; undefined for never. */
  readonly silentAfter?: number | undefined;
}

type Described = Omit<LedgerLog, 'withoutAccess' | 'withheld'>;

/** `learn` must be called first. */
export class LogFollower {
  readonly #parts: FollowerParts;
  readonly #memory;
  readonly #checks;
  readonly #snapshot;
  /** Whether the entries were evaluated, or at least the last conclusion from them was read. */
  #isOpen = false;
  /** When members were heard. */
  readonly news: LogNews;
  /** Whether the server listed the ledger since the database was opened. */
  #hasListed = false;
  /** All entries that this device ever saw. */
  readonly #texts: Set<string>;
  /** The entries in the newest list. */
  #listed: ReadonlySet<string> = new Set();
  /** The starts in that list. */
  #starts: Starts = new Map();
  readonly #seenEntries: SeenEntries = new Map();
  /** All texts that this device saw and that aren't entries, and the grants among them. */
  readonly #records = new Set<string>();
  readonly #grants = new Map<string, GrantRecord>();
  #code: KeyPair | undefined;
  #followed: Followed | undefined;
  /** Describes the log, once something asks for it. */
  #described: (() => Described) | undefined;
  /** The state that `#described` describes, with the number of entries and the heads. */
  #state: (OwnState & { readonly log: EntryId; readonly entries: readonly unknown[] }) | undefined;
  #waits: ErrorCode | undefined;
  /** Describes what the last update was based on. */
  #seen = '';
  readonly #reported = new Set<string>();
  /** When each missing entry was first missed. */
  readonly #gaps = new Map<EntryId, number>();

  constructor(parts: FollowerParts) {
    this.#parts = parts;
    this.#memory = createLogMemory(parts);
    this.#checks = newChecks(this.#memory.checked);
    this.#snapshot = createSnapshot(parts);
    this.news = createNews(parts);
    this.#texts = new Set(this.#memory.texts().values());
  }

  /**
   * Learns texts. Returns whether a key is new, or became the current one.
   * @param list whether these are all texts that the server lists now
   * @throws FixpointError NOT_IMPLEMENTED if this platform can't check signatures
   */
  async learn(given: readonly string[], list?: 'whole'): Promise<boolean> {
    if (given.length === 0 && list === undefined && (await this.#restore())) return false;
    this.#isOpen = true;
    const entries = given.filter((text) => isEntryText(text) || isLaterForm(text));
    for (const text of entries) this.#texts.add(text);
    for (const text of given) {
      if (isGreetingText(text)) this.news.add(text);
      // A list repeats most of the last one.
      if (isEntryText(text) || this.#records.has(text)) continue;
      this.#records.add(text);
      const record = parseKeyRecord(text);
      if (record?.t === 'grant') this.#grants.set(text, record);
    }
    this.#listed = new Set(list === 'whole' ? entries : [...this.#listed, ...entries]);
    this.#starts = entriesIn(this.#listed, this.#seenEntries).starts;
    this.#hasListed ||= list === 'whole';
    const isNews = await this.#updateAll();
    if (this.#followed !== undefined) await this.news.hearGreetings(this.#followed.view);
    this.#noteGaps();
    return isNews;
  }

  /** Learns what another tab stored: the server may hide it from this one. */
  async reload(): Promise<void> {
    this.#memory.reload(await this.#parts.reread(this.#parts.prefix));
    for (const text of this.#memory.texts().values()) this.#texts.add(text);
  }

  /** Reloads if another tab learned something. If so, returns true, and `learn` must be called. */
  async reloadIfOther(): Promise<boolean> {
    const { reread } = this.#parts;
    if (this.#followed === undefined || !(await this.#memory.isBehind(reread))) return false;
    await this.reload();
    return true;
  }

  /** Opens rotations with the pair of a recovery code, too, until the database is closed. */
  async useCode(code: KeyPair): Promise<void> {
    this.#code = code;
    await this.#updateAll();
  }

  /** Returns the log that this device follows; undefined if it knows none. */
  followed(): Followed | undefined {
    return this.#followed;
  }

  /** Returns whether the newest list starts a log, which may be that of anybody. */
  isStarted(): boolean {
    return this.#starts.size > 0;
  }

  /** Returns the ids of listed logs that this device neither follows nor describes. */
  otherLogs(): readonly EntryId[] {
    return [...this.#starts.keys()].filter((id) => id !== this.#state?.log);
  }

  /** Returns the text of a start that no other entry in the newest list follows (G2). */
  aloneIn(log: EntryId): string | undefined {
    return this.#listed.size === 1 ? this.#starts.get(log) : undefined;
  }

  /** Returns the only start in the newest list, if there is one. */
  start(): LogEntry | undefined {
    const [text, ...others] = this.#starts.values();
    return text === undefined || others.length > 0 ? undefined : decodeEntry(text, sha256).entry;
  }

  /** Returns whether the newest list starts this log, or this device waits because of it. */
  isListed(log: EntryId): boolean {
    return this.#starts.has(log) || this.#memory.waits().has(log);
  }

  /** Returns whether this device saw a log, and no device that it trusts told it the id. */
  isUncompared(): boolean {
    return this.#followed === undefined && (this.#described !== undefined || this.#memory.waits().size > 0);
  }

  /** Returns why this device seals nothing now; undefined if it may. */
  waits(): ErrorCode | undefined {
    return this.#waits;
  }

  /** Describes the log; undefined if the list has none that this device takes. */
  describe(): Described | undefined {
    const [described, followed] = [this.#described?.(), this.#followed];
    if (described === undefined || followed === undefined) return described;
    const { membership } = followed.view;
    const heard = this.news.heardOf(membership);
    const members = described.members.map((one, at) => {
      const person = membership.members[at]?.person as EntryId;
      const [heardAt, yourName] = [heard.get(person), this.#parts.names.of(`person/${person}`)];
      return {
        ...one,
        ...(heardAt !== undefined && { heardAt }),
        ...(yourName !== undefined && { yourName }),
      };
    });
    return { ...described, members, silentSince: this.#silentSince(), clocksAhead: this.news.clocksAhead() };
  }

  /** Returns a text that differs whenever `describe` returns something else. */
  mark(): string {
    return JSON.stringify([this.#state, this.#silentSince(), this.news.mark()]);
  }

  #silentSince(): number | undefined {
    const [followed, { silentAfter }] = [this.#followed, this.#parts];
    // Before the first list, a device that was closed for long has heard nobody.
    if (followed === undefined || silentAfter === undefined || !this.#hasListed) return undefined;
    return this.news.silentSince(followed.view.membership, followed.seat, silentAfter);
  }

  /** Ignores a log that isn't the ledger's, as the user says. */
  async dismiss(log: EntryId): Promise<void> {
    await this.#memory.dismiss(log);
    this.#seen = '';
    await this.#updateAll();
  }

  /**
   * Returns groups of texts to put again, each in one request: remembered entries that are missing
   * from the list, each with its rotation, and grants to the recovery codes of members.
   */
  lost(listed: ReadonlySet<string>): readonly (readonly string[])[] {
    return this.#followed === undefined
      ? []
      : lostGroups(this.#followed, this.#memory, this.#rotations(), listed);
  }

  #rotations(): ReadonlyMap<string, string> {
    return rotationsIn(this.#parts.keys, this.#memory.rotation());
  }

  #see(start: EntryId, entries: Iterable<string>): Promise<LogView> {
    const { ledger, keys } = this.#parts;
    const [code, checks] = [this.#code, this.#checks];
    const grants = seatGrantsIn(this.#grants.values());
    const given = { ledger, start, pair: keys.pair, code, keys: keys.all(), grants, checks };
    return viewOfLog([...entries, ...this.#rotations().values()], given);
  }

  async #updateAll(): Promise<boolean> {
    let isNews = await this.#update();
    // Keys that the log contains may open further records.
    while (await this.#update()) isNews = true;
    return isNews;
  }

  async #update(): Promise<boolean> {
    const { keys } = this.#parts;
    const log = keys.log();
    const counts = [this.#texts.size, keys.rotations().length, keys.all().size, this.#grants.size];
    const shown =
      log === undefined ? [keys.keyring().current, this.#listed.size, ...this.#starts.keys()] : [hex(log)];
    const now = [...counts, this.#code !== undefined, ...shown].join();
    if (now === this.#seen) return false;
    const isNews = await (log === undefined ? this.#lookAround() : this.#follow(hex(log)));
    // Only now, so that a failed update is repeated.
    this.#seen = now;
    return isNews;
  }

  /**
   * Restores what this device concluded when it was open before, without evaluating the log. Each
   * later call of `learn` evaluates it, so nothing is signed or sent before that.
   */
  async #restore(): Promise<boolean> {
    const { keys, ledger } = this.#parts;
    const [log, isFirst] = [keys.log(), !this.#isOpen];
    this.#isOpen = true;
    if (log === undefined || !isFirst) return false;
    const [start, memory] = [hex(log), this.#memory];
    const known = await this.#snapshot.restored(start, memory);
    const current = known?.current === undefined ? undefined : keys.all().get(known.current);
    if (known === undefined || current?.name !== known.current) return false;
    const given = { ledger, start, pair: keys.pair, keys: keys.all(), checks: this.#checks };
    const view = rememberedView(memory.texts().values(), given, { key: known.key, heads: known.heads });
    const own = { forks: known.forks, person: known.person };
    this.#show(start, { view, seat: known.seat, current }, own, memory.texts().size);
    return true;
  }

  /** Looks at the logs in the list, of which this device knows none. */
  async #lookAround(): Promise<false> {
    const { keys, ledger } = this.#parts;
    const memory = this.#memory;
    this.#followed = undefined;
    const listed = this.#listed;
    const see = (start: EntryId) => this.#see(start, listed);
    const known = { ledger, keys: keys.all(), current: keys.keyring().current, see };
    const proven = await provenIn(listed, memory.dismissed(), known);
    const reason = reasonOfUnknown(proven);
    // First in memory, so that the device also waits if storing fails. An honest server never hides
    // a log with a rotation again, so the wait stays if this one does.
    const rotated = [...proven].flatMap(([id, { isRotated }]) => (isRotated ? [id] : []));
    const waits = reason ?? (memory.waits().size + rotated.length > 0 ? 'LEDGER_NOT_COMPARED' : undefined);
    this.#waits = waits;
    const [only, ...more] = proven;
    const forks = only === undefined ? [] : more.map(([id]) => forkOfLogs(only[0], id));
    const state = { isCompared: false, person: undefined, forks, waits };
    this.#state = only && { log: only[0], entries: entriesOf(only[1]), ...state };
    this.#described = only && once(() => describeLog(only[0], only[1], ledger, state));
    this.#note(forks);
    await memory.setWaits([...memory.waits(), ...rotated]);
    return false;
  }

  async #follow(start: EntryId): Promise<boolean> {
    const { ledger, keys } = this.#parts;
    let view = await this.#see(start, this.#texts);
    const { joins } = namedBy(view);
    // The list must have the join that events of this device name.
    if (joins.some(({ text }) => !this.#texts.has(text))) {
      for (const { text } of joins) this.#texts.add(text);
      view = await this.#see(start, this.#texts);
    }
    const { past, seats, isCurrent } = view.membership;
    const { textOf } = view.read;
    const named = view.key && past.entryOf(view.key.entry);
    const hash = named && rotationOf(named)?.record;
    await this.news.hearEntries(view, this.#memory.texts());
    const codes = seats.all.filter((one) => one.kind === 'code' && isCurrent(one)).map(({ seal }) => seal);
    await this.#memory.remember({
      entries: past.entries.map(({ id }) => [id, textOf.get(id) as string] as const),
      checked: view.checked,
      rotation: hash === undefined ? undefined : this.#rotations().get(hash),
      grants: await grantsTo(new Set(codes), this.#grants, { ledger, keys: view.keys }),
    });
    await this.#memory.setWaits([]);
    const current = view.key && view.keys.get(view.key.key);
    const isNews = await keys.takeLogKeys([...view.keys.values()], current);
    const followed = { view, seat: seatOf(view, hex(keys.pair.publicKey)), current };
    // A log that the user withdrew or dismissed contradicts nothing.
    const isOver = ({ kind, sides }: LedgerFork) => kind === 'logs' && this.#memory.dismissed().has(sides[1]);
    const forks = forksIn(view).filter((fork) => !isOver(fork));
    const person = personOf(followed);
    this.#show(start, followed, { forks, person }, past.entries.length);
    // Other texts, such as those of another log, are in no row.
    if (this.#texts.size === this.#memory.texts().size && !view.needsUpdate) {
      const { key, heads } = view;
      const seat = followed.seat && { key: followed.seat.key, entry: followed.seat.entry };
      const known = { key, heads, seat, person, current: current?.name, forks };
      await this.#snapshot.store(start, this.#memory, known);
    }
    return isNews;
  }

  #show(log: EntryId, followed: Followed, own: Pick<OwnState, 'forks' | 'person'>, entries: number): void {
    const { view } = followed;
    const waits = reasonToWait(followed);
    this.#followed = followed;
    this.#waits = waits;
    const state = { isCompared: true, person: own.person, forks: own.forks, waits };
    this.#state = { log, entries: [entries, ...view.heads], ...state };
    this.#described = once(() => describeLog(log, view, this.#parts.ledger, state));
    this.#note(own.forks);
  }

  /** Reports forks with both sides; copies of devices only once for each person. */
  #note(forks: readonly LedgerFork[]): void {
    for (const { kind, sides, signer } of forks) {
      const both = sides.join(' and ');
      const name = kind === 'copies' && signer !== undefined ? signer : both;
      if (this.#reported.has(name)) continue;
      this.#reported.add(name);
      this.#parts.report(
        new FixpointError('LEDGER_FORKED', `${kind}${signer ? ` of ${signer}` : ''}: ${both}`),
      );
    }
  }

  /** Reports entries whose past the server withholds, once it did so for a minute (N5). */
  #noteGaps(): void {
    if (this.#followed === undefined) return;
    const now = this.#parts.now();
    const { view } = this.#followed;
    const gaps = new Map([...this.news.gaps(view), ...gapsIn(view)]);
    for (const id of [...this.#gaps.keys()]) if (!gaps.has(id)) this.#gaps.delete(id);
    for (const [id, by] of gaps) {
      const since = this.#gaps.get(id) ?? now;
      this.#gaps.set(id, since);
      if (now - since >= GAP_MS) this.#note([{ kind: 'withheld', sides: [id, by], signer: undefined }]);
    }
  }
}
