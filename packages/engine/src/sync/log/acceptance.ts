/**
 * Decides which events of a ledger with a membership log become part of the database's head
 * (docs/internals/membership-rules.md, "Events"). A device that doesn't follow a log accepts all.
 *
 * Rows `<prefix>log-withheld/<event>` list events that were received and aren't accepted, each with
 * its archive, which is marked as staged: compaction keeps it. Events of the head were accepted, or
 * are this device's own. When the log changes, all of them are checked again.
 */
import { FixpointError, isFixpointError } from '@fixpoint/protocol';
import type { EntryId, Signer } from '@fixpoint/protocol/storage';
import { hex } from '../../base/bytes.ts';
import { createTurns } from '../../base/turns.ts';
import { mergeHeads } from '../../clock/advance.ts';
import { type Head, type ReadEvent, sortHead } from '../../clock/event.ts';
import { isSigned } from '../../clock/stamp.ts';
import type { Cid } from '../../codec/cid.ts';
import type { Commits } from '../../commit/commits-interface.ts';
import type { Accept, AcceptTools, RemoteMerge } from '../../commit/merge-remote.ts';
import { historyOf } from '../../commit/verify/log-authors.ts';
import type { UnconfirmedEntry, WithheldEvent } from '../../crypto/ledger-keys.ts';
import { deviceIdOf, EventRules, type LoggedEvent } from '../../membership/events.ts';
import { REMOTES, STAGED, stagedKey } from '../../store/names.ts';
import { type Followed, nameIn } from './log-state.ts';
import { decodeOwn, OWN_ROW } from './own-events.ts';
import { isEqual, listIn, rowsOf, type WithheldList } from './stored/withheld-list.ts';
import {
  createUnknownNames,
  type Questions,
  type UnknownNamesParts,
  unknownNamesIn,
} from './unknown-names.ts';
import { type DescribeWithheld, describerOf, isAcceptable } from './withheld-events.ts';

/** Maximum number of listed events (E9). */
const WITHHELD_MAX = 1000;

export interface AcceptanceParts extends UnknownNamesParts {
  readonly commits: Commits;
  /** The prefix of all rows of this ledger. `prefix` is that of the rows of its keys. */
  readonly remote: string;
  /** Returns the log that this device follows. */
  readonly followed: () => Followed | undefined;
  /** Returns the id of that log. */
  readonly start: () => EntryId | undefined;
  readonly signer: () => Promise<Signer>;
  /**
   * Calls `merge` again with blocks that compaction dropped here, and that the ledger has.
   * @throws FixpointError MISSING_BLOCK
   */
  readonly withDropped: (
    missing: FixpointError,
    merge: (more: RemoteMerge) => Promise<void>,
  ) => Promise<void>;
}

/** The rules of the log that the device follows now. */
interface State {
  readonly rules: EventRules;
  readonly followed: Followed;
  /** The signing key of this device. */
  readonly ownKey: string;
  readonly describe: DescribeWithheld;
}

/** The result of a check. */
interface Checked {
  readonly before: Head;
  readonly head: Head;
  /** The stored list of withheld events, to which other tabs add. */
  readonly list: WithheldList;
  readonly kept: WithheldList;
  readonly described: readonly WithheldEvent[];
  readonly hasOwn: boolean;
  readonly questions: Questions;
}

const NO_ROWS: ReadonlyMap<string, Uint8Array> = new Map();
const NO_MERGE: RemoteMerge = { head: sortHead([]), archives: [], remember: [] };

export class Acceptance {
  readonly #parts: AcceptanceParts;
  /** The start of the keys of withheld events. */
  readonly #start: string;
  readonly #turns = createTurns();
  readonly #unknown;
  readonly #history;
  #described: readonly WithheldEvent[] = [];
  #read: ReadEvent;
  #state: State | undefined;
  /** The head that was checked last, by the rules of the state. */
  #checkedHead: string | undefined;
  #hasOwn = false;
  /** Events of others that the user accepts now (E6). */
  readonly #asked = new Set<string>();
  readonly #adopted = new Set<string>();
  /** The head after this device vouched. It must not vouch for its own event again. */
  #vouched: string | undefined;

  constructor(parts: AcceptanceParts) {
    const { commits, prefix } = parts;
    this.#parts = parts;
    this.#start = `${prefix}log-withheld/`;
    this.#unknown = createUnknownNames(parts, commits.remembered);
    this.#read = commits.readers.event;
    this.#history = historyOf((cid) => this.#read(cid));
  }

  /** Merges what the ledger sent, as far as it is accepted. */
  merge(merge: RemoteMerge): Promise<void> {
    return this.#turns(async () => {
      const now = await this.#current();
      const { commits } = this.#parts;
      await commits.mergeRemote(now === undefined ? merge : { ...merge, accept: this.#accept(now, false) });
      if (now !== undefined) await this.#revise(now);
    });
  }

  /**
   * Checks the head and the withheld events again if the log changed, and vouches for own events
   * that aren't accepted.
   */
  revise(): Promise<void> {
    return this.#turns(async () => {
      const now = await this.#current();
      if (now === undefined) return;
      await this.#revise(now)
        .then(() => this.#reloadQuestions(now))
        .finally(this.#unknown.report);
    });
  }

  /** Writes an event on top of all accepted heads (E3), if this device may write. */
  vouch(): Promise<boolean> {
    return this.#turns(async () => {
      const now = await this.#current();
      if (now === undefined || !mayWrite(now)) return false;
      await this.#revise(now);
      await this.#parts.commits.mergeRemote({ ...NO_MERGE, vouches: true });
      return true;
    });
  }

  /**
   * Vouches for a withheld event, and for all events before it, because the user asks for it (E6).
   * Returns false if no event with this id is withheld, unless the user accepted it before.
   * @throws FixpointError FORBIDDEN if no member signed it, if it or an event before it names an
   * unknown entry, or if this device may not write; MISSING_BLOCK
   */
  adopt(event: string): Promise<boolean> {
    return this.#turns(async () => {
      const now = await this.#current();
      const withheld = this.#described.find((one) => one.event === event);
      if (now === undefined || withheld === undefined) return this.#adopted.has(event);
      if (!isAcceptable(withheld) || !mayWrite(now))
        throw new FixpointError('FORBIDDEN', `event of another member: ${withheld.reason}`);
      await this.#checkBefore(now, event);
      this.#asked.add(event);
      this.#checkedHead = undefined;
      try {
        await this.#revise(now);
      } finally {
        this.#asked.delete(event);
      }
      this.#adopted.add(event);
      return true;
    });
  }

  /** Rejects an event if accepting it would accept one that names an unknown entry. */
  async #checkBefore({ rules }: State, event: string): Promise<void> {
    const { withheld, missing } = await rules.accept([event, ...this.#parts.commits.snapshot().head]);
    if (missing[0] !== undefined) throw new FixpointError('MISSING_BLOCK', missing[0]);
    for (const id of withheld) {
      const before = await this.#history.eventOf(id);
      if (before !== undefined && (await rules.reasonOf(before)).reason === 'unknown entry')
        throw new FixpointError('FORBIDDEN', `it follows ${id}, which names an unknown entry`);
    }
  }

  /** Returns whether the user of this device accepted an event of somebody else. */
  hasAdopted(event: string): boolean {
    return this.#adopted.has(event);
  }

  /** Returns the entries because of which the user must confirm the list (E7). */
  unconfirmed(): readonly UnconfirmedEntry[] {
    return this.#parts.followed() === undefined ? [] : this.#unknown.unconfirmed();
  }

  /**
   * Checks the head by the newest known log, and whether the user must confirm the list first.
   * @throws FixpointError LEDGER_NOT_COMPARED; MISSING_BLOCK if the check can't end
   */
  async requireConfirmed(): Promise<void> {
    // Another tab may have received events since.
    await this.#parts.commits.refresh();
    await this.revise();
    const names = new Set(this.unconfirmed().map(({ member }) => member));
    if (names.size === 0) return;
    throw new FixpointError('LEDGER_NOT_COMPARED', `entries that ${[...names].join()} named are missing`);
  }

  /** Notes that the user compared the list of members because of these entries. */
  confirm(unconfirmed: readonly UnconfirmedEntry[]): Promise<void> {
    return this.#turns(() => this.#unknown.confirm(unconfirmed));
  }

  /** Returns the withheld events, the newest ones last. */
  withheld(): readonly WithheldEvent[] {
    return this.#parts.followed() === undefined ? [] : this.#described;
  }

  /** Returns the rules of the log that this device follows now. */
  async #current(): Promise<State | undefined> {
    const [followed, start] = [this.#parts.followed(), this.#parts.start()];
    if (followed === undefined || start === undefined) return undefined;
    if (this.#state?.followed.view === followed.view) return this.#state;
    const ownKey = hex((await this.#parts.signer()).publicKey);
    const unsigned = decodeOwn(await this.#parts.commits.local.read(OWN_ROW));
    const isOwn = async (event: LoggedEvent) =>
      this.#asked.has(event.id) ||
      unsigned.has(event.id as Cid) ||
      (event.device === deviceIdOf(ownKey) && (await this.#history.isSignedBy(event, ownKey))) ||
      this.#isUnsent(event.id as Cid);
    const history = { ...this.#history, isOwn };
    const rules = new EventRules(followed.view.membership, history, start);
    const describe = describerOf(rules, history, followed.view.membership);
    this.#state = { rules, followed, ownKey, describe };
    this.#checkedHead = undefined;
    this.#vouched = undefined;
    return this.#state;
  }

  /**
   * Returns whether an unsigned event waits to be sent. Another tab may have written it just before
   * it saw the log.
   */
  async #isUnsent(id: Cid): Promise<boolean> {
    const { commits } = this.#parts;
    const archive = isSigned((await this.#read(id)).by) ? undefined : commits.archiveOf(id);
    return archive !== undefined && (await commits.pendingUploads()).includes(archive);
  }

  /** Brings the head to the one of the log, if anything changed since the last check. */
  async #revise(now: State): Promise<void> {
    const { commits } = this.#parts;
    const current = () => commits.snapshot().head.join();
    if (this.#checkedHead !== current()) await this.#checkAll(now);
    if (!this.#hasOwn || !mayWrite(now) || this.#vouched === current()) return;
    await commits.mergeRemote({ ...NO_MERGE, vouches: true });
    this.#vouched = current();
    await this.#checkAll(now);
  }

  /** Checks the whole head, and the withheld events. */
  async #checkAll(now: State): Promise<void> {
    const { commits, withDropped } = this.#parts;
    const { head } = commits.snapshot();
    const tools = { read: commits.readers.event, archiveOf: commits.archiveOf };
    const checked = await this.#check(now, head, NO_MERGE.head, tools, true);
    const isSame = checked.head.join() === head.join() && isEqual(checked.kept, checked.list);
    if (isSame && checked.questions.rows.length === 0) return this.#take(checked, true);
    const merge = (more: RemoteMerge) => commits.mergeRemote({ ...more, accept: this.#accept(now, true) });
    await merge(NO_MERGE).catch((cause) => {
      if (!isFixpointError(cause, 'MISSING_BLOCK')) throw cause;
      return withDropped(cause, merge);
    });
  }

  #accept(now: State, isAll: boolean): Accept {
    return async (before, received, tools) => {
      const checked = await this.#check(now, before, received, tools, isAll);
      return {
        head: checked.head,
        rows: [
          ...rowsOf(this.#start, checked.list, checked.kept, this.#parts.now()),
          ...checked.questions.rows,
        ],
        stored: () => this.#take(checked, isAll),
      };
    };
  }

  /** Checks what was received, and with `isAll` all events that aren't certain, too. */
  async #check(
    now: State,
    before: Head,
    received: Head,
    { read, archiveOf }: AcceptTools,
    isAll: boolean,
  ): Promise<Checked> {
    const list = listIn(this.#start, await this.#parts.commits.remembered(this.#start));
    this.#read = read;
    try {
      const known = isAll ? [...received, ...before, ...list.keys()] : received;
      const { head, withheld, own, missing } = await now.rules.accept(known);
      const lost = missing.find((id) => !list.has(id as Cid));
      if (lost !== undefined) throw new FixpointError('MISSING_BLOCK', lost);
      const accepted = sortHead(head as Cid[]);
      const both = await mergeHeads(before, accepted, read);
      const mayLeave = isAll && both.join() !== accepted.join() && !(await isShared(this.#parts));
      const next = mayLeave ? accepted : both;
      const all = [...new Set([...list.keys(), ...(withheld as Cid[])])];
      const cids = (await notIn(next, all, read)).slice(-WITHHELD_MAX);
      return {
        ...{ before, head: next, list },
        kept: new Map(cids.map((cid) => [cid, list.get(cid) ?? archiveOf(cid)] as const)),
        described: await now.describe(cids, new Set(withheld)),
        hasOwn: own.length > 0,
        questions: await this.#questions(now, [...received, ...withheld]),
      };
    } finally {
      this.#read = this.#parts.commits.readers.event;
    }
  }

  /** Asks about unknown names in events, before later events hide them from the list. */
  async #questions({ rules, followed }: State, events: readonly string[]): Promise<Questions> {
    const { commits } = this.#parts;
    const staged = events.length === 0 ? NO_ROWS : await commits.remembered(STAGED);
    const isNew = (id: string) => {
      const archive = commits.archiveOf(id as Cid);
      return archive === undefined || staged.has(stagedKey(archive));
    };
    const found = await unknownNamesIn(rules, this.#history.eventOf, events, isNew);
    const { membership } = followed.view;
    return this.#unknown.next(found, {
      isKnown: (names) => rules.namedBy({ names }).length > 0,
      memberOf: (one) => nameIn(membership, rules.writerOf(one)?.person),
    });
  }

  /** Learns what other tabs asked, and what their users answered. */
  async #reloadQuestions(now: State): Promise<void> {
    this.#unknown.take(await this.#questions(now, []));
  }

  #take({ before, head, described, hasOwn, questions }: Checked, isAll: boolean): void {
    this.#described = described;
    this.#unknown.take(questions);
    this.#hasOwn = hasOwn || (!isAll && this.#hasOwn);
    const isChecked = isAll || this.#checkedHead === before.join();
    this.#checkedHead = isChecked ? head.join() : undefined;
  }
}

/** Returns whether events of this device are accepted now. */
const mayWrite = ({ followed: { view }, ownKey }: State): boolean =>
  view.membership.seats
    .ofKey(ownKey)
    .some(
      (seat) =>
        seat.kind === 'device' &&
        view.membership.isCurrent(seat) &&
        view.membership.members.some(({ person, role }) => person === seat.person && role !== 'read'),
    );

/** Returns the newest of these events that a head doesn't contain. Keeps those that aren't here. */
async function notIn(head: Head, cids: readonly Cid[], read: ReadEvent): Promise<readonly Cid[]> {
  if (cids.length === 0) return cids;
  const here = new Set<Cid>();
  for (const cid of cids)
    await read(cid).then(
      () => here.add(cid),
      (cause) => {
        if (!isFixpointError(cause, 'MISSING_BLOCK')) throw cause;
      },
    );
  const newest = new Set(await mergeHeads(head, sortHead(here), read));
  return cids.filter((cid) => !here.has(cid) || (newest.has(cid) && !head.includes(cid)));
}

/**
 * Returns whether the database has rows about another ledger. That ledger has no signed events, so
 * events never leave the head of such a database.
 */
async function isShared({ commits, remote }: AcceptanceParts): Promise<boolean> {
  const rows = await commits.remembered(REMOTES);
  return [...rows.keys()].some((key) => !key.startsWith(remote));
}
