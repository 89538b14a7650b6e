/**
 * Reports members whose events name entries of the log that aren't here, which an honest server
 * would have delivered before (docs/internals/membership-rules.md, E7). Until the user confirms the
 * list of members, this device approves nobody. The row `<prefix>log-confirmed` lists the events
 * after which the user did so.
 */
import { FixpointError } from '@fixpoint/protocol';
import type { Cid } from '../../codec/cid.ts';
import { asArray, decode, encode } from '../../codec/dag-cbor.ts';
import type { StoreChange } from '../../ports/byte-store.ts';

/** For how long the name of an event may be unknown before the device reports it. */
const UNKNOWN_MS = 60_000;
/** Maximum number of confirmed events that are remembered: that of withheld events (E9). */
const CONFIRMED_MAX = 1000;

export interface UnknownNamesParts {
  readonly prefix: string;
  readonly rows: ReadonlyMap<string, Uint8Array>;
  readonly save: (rows: readonly StoreChange[]) => Promise<void>;
  readonly now: () => number;
  readonly report: (error: unknown) => void;
  /** Requests a complete list, because an event names an unknown entry. */
  readonly refresh: () => void;
}

interface Unknown {
  readonly at: number;
  /** The member who signed the event and may write now; undefined for others. */
  readonly signer: string | undefined;
}

/** @param stored the events that were withheld when the device was open before */
export function createUnknownNames(
  { prefix, rows, save, now, report, refresh }: UnknownNamesParts,
  stored: Iterable<Cid>,
) {
  const row = `${prefix}log-confirmed`;
  const since = new Map<Cid, Unknown>();
  const earlier = new Set(stored);
  const reported = new Set<string>();
  const bytes = rows.get(row);
  let confirmed: readonly string[] = bytes === undefined ? [] : asArray(decode(bytes)).map(String);

  /** Returns the events whose names stay unknown, with the members who signed them. */
  const lasting = (): (readonly [Cid, string])[] =>
    [...since].flatMap(([cid, { at, signer }]) =>
      signer === undefined || now() - at < UNKNOWN_MS || confirmed.includes(cid) ? [] : [[cid, signer]],
    );

  return {
    /** @param signer see `Unknown` */
    note: (cid: Cid, signer: string | undefined): void => {
      const known = since.get(cid);
      // An event that was withheld when the device was closed has had its minute.
      const at = known?.at ?? (earlier.has(cid) ? Number.NEGATIVE_INFINITY : now());
      since.set(cid, { at, signer });
      if (known === undefined && signer !== undefined) refresh();
    },
    /** Forgets an event, because the entry that it names is here. */
    found: (cid: Cid): void => void since.delete(cid),
    report: (): void => {
      for (const [cid, signer] of lasting()) {
        if (reported.has(signer)) continue;
        reported.add(signer);
        report(new FixpointError('LEDGER_FORKED', `unknown entry of the log in ${cid} of ${signer}`));
      }
    },
    /** Forgets events that aren't withheld any more. */
    keep: (cids: ReadonlyMap<Cid, unknown>): void => {
      for (const cid of [...since.keys()]) if (!cids.has(cid)) since.delete(cid);
    },
    /** Returns the names of the members because of whom the user must confirm the list. */
    unconfirmed: (): readonly string[] => [...new Set(lasting().map(([, signer]) => signer))].sort(),
    /** Notes that the user compared the list of members. */
    confirm: async (): Promise<void> => {
      const next = [...confirmed, ...lasting().map(([cid]) => cid)].slice(-CONFIRMED_MAX);
      await save([{ key: row, bytes: encode(next) }]);
      confirmed = next;
    },
  };
}
