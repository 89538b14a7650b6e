/** Checks the signatures and times of events, for the verification of a database. */
import { isFixpointError } from '@fixpoint/protocol';
import type { ClockEvent, Head } from '../../clock/event.ts';
import { GENESIS_EVENT } from '../../clock/genesis.ts';
import { signatureOf } from '../../clock/signature.ts';
import { decodeStamp, loggedIn } from '../../clock/stamp.ts';
import type { Cid } from '../../codec/cid.ts';
import type { ByteStore } from '../../ports/byte-store.ts';
import { Arrivals } from './arrivals.ts';
import type { AuthorOf, EventAuthor } from './log-authors.ts';

/** Clocks of devices differ. An event may seem this much older than one that it follows. */
const APART_MS = 600_000;

/** The result of a verification about the authors of events. */
export interface AuthorFindings {
  /** The devices that signed events, with the number of events whose signature is valid. */
  readonly signers: readonly { readonly device: string; readonly events: number }[];
  /** Number of events without a signature. */
  readonly unsigned: number;
  /** Events whose signature is bad: somebody changed the event after it was signed. */
  readonly badSignatures: readonly string[];
  /** Events that claim to be more than 10 minutes older than an event that they follow. */
  readonly backDated: readonly string[];
  /** Authors of events, by the membership log of the ledger; absent without a log. */
  readonly byLog?: LogFindings;
  /**
   * The accounts from which gateways received events without a signature, as far as the gateways
   * reported it.
   */
  readonly unsignedFrom: readonly UnsignedFrom[];
}

/** As whose events a ledger with a membership log counts the events of its history. */
export interface LogFindings {
  /** Members who signed events when they had the right to write. */
  readonly verified: readonly MemberEvents[];
  /** Members who vouch for events of others, or for events without a signature. */
  readonly vouchedFor: readonly MemberEvents[];
  /** Number of events that are older than the log, and that its founder had. */
  readonly beforeLog: number;
  /** Events of this device that other devices don't accept. */
  readonly notAccepted: readonly string[];
}

/** Number of events of a member, with the name in the membership log. */
export interface MemberEvents {
  readonly name: string;
  readonly events: number;
}

/** Events without a signature that gateways received from one account. */
export interface UnsignedFrom {
  /** The id of a user; absent for events that several users may have sent first. */
  readonly account?: string;
  readonly events: number;
  /** When the gateway received the first of these events, in ms since 1970. */
  readonly firstMs: number;
  /** When the gateway received the last of these events, in ms since 1970. */
  readonly lastMs: number;
}

export interface Authors {
  /** Checks an event. Call it once for each event. */
  add(cid: Cid, event: ClockEvent): Promise<void>;
  /** Returns the result, once all events were added. */
  found(): Promise<AuthorFindings>;
}

/**
 * @param readPrefix reads stored rows
 * @param authorOf finds authors by the membership log; undefined without a log
 */
export function createAuthors(
  readPrefix: ByteStore['readPrefix'],
  head: Head,
  authorOf: () => Promise<AuthorOf | undefined>,
): Authors {
  const byLog = createLogFindings();
  const signers = new Map<string, number>();
  const badSignatures: Cid[] = [];
  const times = new Map<Cid, { readonly time: number | undefined; readonly parents: readonly Cid[] }>();
  const unsigned: Cid[] = [];

  function isBackDated({ time, parents }: { time: number | undefined; parents: readonly Cid[] }): boolean {
    if (time === undefined) return false;
    return parents.some((parent) => (times.get(parent)?.time ?? 0) > time + APART_MS);
  }

  return {
    add: async (cid, event) => {
      const stamp = decodeStamp(event.by);
      times.set(cid, { time: stamp?.time, parents: event.parents });
      const found = await (await authorOf())?.(cid, event, head);
      if (found !== undefined && cid !== GENESIS_EVENT) byLog.add(cid, found.author);
      const isLogged = loggedIn(event.by) !== undefined;
      const signature = isLogged ? (found?.signature ?? 'unknown') : await signatureOf(cid, event);
      if (signature === undefined) unsigned.push(cid);
      if (signature === 'bad') badSignatures.push(cid);
      if (signature === 'valid' && stamp !== undefined)
        signers.set(stamp.device, (signers.get(stamp.device) ?? 0) + 1);
    },
    found: async () => ({
      signers: [...signers].map(([device, events]) => ({ device, events })),
      unsigned: unsigned.length,
      ...((await authorOf()) && { byLog: byLog.found() }),
      unsignedFrom: await sendersOf(unsigned, times, readPrefix),
      badSignatures,
      backDated: [...times].flatMap(([cid, event]) => (isBackDated(event) ? [cid] : [])),
    }),
  };
}

function createLogFindings() {
  const verified = new Map<string, number>();
  const vouchedFor = new Map<string, number>();
  const notAccepted: Cid[] = [];
  let beforeLog = 0;
  const count = (counts: Map<string, number>, name = '') => counts.set(name, (counts.get(name) ?? 0) + 1);
  const listed = (counts: ReadonlyMap<string, number>) =>
    [...counts].map(([name, events]) => ({ name, events }));
  return {
    add: (cid: Cid, { status, name }: EventAuthor): void => {
      if (status === 'verified') count(verified, name);
      else if (status === 'vouched for') count(vouchedFor, name);
      else if (status === 'before the log') beforeLog += 1;
      else notAccepted.push(cid);
    },
    found: (): LogFindings => ({
      ...{ verified: listed(verified), vouchedFor: listed(vouchedFor) },
      ...{ beforeLog, notAccepted },
    }),
  };
}

/** @param events all events, with their parents */
async function sendersOf(
  unsigned: readonly Cid[],
  events: ReadonlyMap<Cid, { readonly parents: readonly Cid[] }>,
  readPrefix: ByteStore['readPrefix'],
): Promise<UnsignedFrom[]> {
  const read = async (cid: Cid) => events.get(cid) as { readonly parents: readonly Cid[] };
  const arrivals = new Arrivals(readPrefix, read, (cid) => events.has(cid));
  await arrivals.advance().catch((cause) => {
    // The rows are damaged. The check of the store reports that.
    if (!isFixpointError(cause)) throw cause;
  });
  const found = new Map<string | undefined, UnsignedFrom>();
  for (const cid of unsigned) {
    const arrival = arrivals.of(cid);
    if (arrival === undefined) continue;
    const { atMs, account } = arrival;
    const { events = 0, firstMs = atMs, lastMs = atMs } = found.get(account) ?? {};
    found.set(account, {
      ...(account !== undefined && { account }),
      events: events + 1,
      firstMs: Math.min(firstMs, atMs),
      lastMs: Math.max(lastMs, atMs),
    });
  }
  return [...found.values()].sort((a, b) => a.firstMs - b.firstMs);
}
