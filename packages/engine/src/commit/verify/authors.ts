/** Checks the signatures and times of events, for the verification of a database. */
import type { ClockEvent } from '../../clock/event.ts';
import { signatureOf } from '../../clock/signature.ts';
import { decodeStamp } from '../../clock/stamp.ts';
import type { Cid } from '../../codec/cid.ts';

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
}

export interface Authors {
  /** Checks an event. Call it once for each event. */
  add(cid: Cid, event: ClockEvent): Promise<void>;
  /** Returns the result, once all events were added. */
  found(): AuthorFindings;
}

export function createAuthors(): Authors {
  const signers = new Map<string, number>();
  const badSignatures: Cid[] = [];
  const times = new Map<Cid, { readonly time: number | undefined; readonly parents: readonly Cid[] }>();
  let unsigned = 0;

  function isBackDated({ time, parents }: { time: number | undefined; parents: readonly Cid[] }): boolean {
    if (time === undefined) return false;
    return parents.some((parent) => (times.get(parent)?.time ?? 0) > time + APART_MS);
  }

  return {
    add: async (cid, event) => {
      const stamp = decodeStamp(event.by);
      times.set(cid, { time: stamp?.time, parents: event.parents });
      const signature = await signatureOf(cid, event);
      if (signature === undefined) unsigned += 1;
      if (signature === 'bad') badSignatures.push(cid);
      if (signature === 'valid' && stamp !== undefined)
        signers.set(stamp.device, (signers.get(stamp.device) ?? 0) + 1);
    },
    found: () => ({
      signers: [...signers].map(([device, events]) => ({ device, events })),
      unsigned,
      badSignatures,
      backDated: [...times].flatMap(([cid, event]) => (isBackDated(event) ? [cid] : [])),
    }),
  };
}
