/** Checks the signatures and times of events, for the verification of a database. */
import { isFixpointError } from '@fixpoint/protocol';
import type { ClockEvent } from '../../clock/event.ts';
import { signatureOf } from '../../clock/signature.ts';
import { decodeStamp } from '../../clock/stamp.ts';
import type { Cid } from '../../codec/cid.ts';
import type { ByteStore } from '../../ports/byte-store.ts';
import { Arrivals } from './arrivals.ts';

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
  /**
   * The accounts from which gateways received events without a signature, as far as the gateways
   * reported it.
   */
  readonly unsignedFrom: readonly UnsignedFrom[];
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

/** @param readPrefix reads stored rows */
export function createAuthors(readPrefix: ByteStore['readPrefix']): Authors {
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
      const signature = await signatureOf(cid, event);
      if (signature === undefined) unsigned.push(cid);
      if (signature === 'bad') badSignatures.push(cid);
      if (signature === 'valid' && stamp !== undefined)
        signers.set(stamp.device, (signers.get(stamp.device) ?? 0) + 1);
    },
    found: async () => ({
      signers: [...signers].map(([device, events]) => ({ device, events })),
      unsigned: unsigned.length,
      unsignedFrom: await sendersOf(unsigned, times, readPrefix),
      badSignatures,
      backDated: [...times].flatMap(([cid, event]) => (isBackDated(event) ? [cid] : [])),
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
