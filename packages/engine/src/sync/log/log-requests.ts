/**
 * Requests in the list of a ledger: consents of devices that ask to be added to the log, and
 * requests of members for a recovery code (docs/internals/membership-rules.md, J1 to J5, L5). A
 * device of the member signs the keys of the code, and an admin confirms them after asking the
 * member.
 */
import {
  type CodeRecord,
  type ConsentRecord,
  type EntryId,
  isSignedCodeRequest,
  parseKeyRecord,
} from '@fixpoint/protocol/storage';
import { hex, textOf } from '../../base/bytes.ts';
import { isSignedBy } from '../../base/signatures.ts';
import { deviceIdOf } from '../../crypto/grant.ts';
import type { LedgerKeys } from '../../crypto/ledger-keys.ts';
import { isBonded } from '../../crypto/log/consent.ts';
import type { Membership } from '../../membership/evaluate.ts';
import type { Seat } from '../../membership/seats.ts';
import type { LogView } from '../ledger/log-view.ts';
import { nameIn } from './log-state.ts';

export interface CodeRequest {
  /** The id that the code will have in the list of devices, in hex. */
  readonly id: string;
  readonly user: string;
  readonly name: string | undefined;
  readonly person: EntryId;
  readonly record: CodeRecord;
}

export interface Requests {
  note(texts: Iterable<string>): void;
  /** Checks new requests for codes, and on the founder's device consents of earlier devices. */
  check(view: Pick<LogView, 'membership'> | undefined): Promise<void>;
  /** Returns the consents of devices that ask to be added to a log. */
  consents(): readonly ConsentRecord[];
  /**
   * Returns the consents of devices from before the log that the founder may add without a code;
   * empty on other devices.
   */
  bonded(): readonly ConsentRecord[];
  /** Returns the newest request for a code of each member, unless the log has its keys. */
  codes(membership: Membership): readonly CodeRequest[];
}

interface RequestsParts {
  /** See `ledgerBytes`. */
  readonly ledger: Uint8Array;
  readonly keys: Pick<LedgerKeys, 'pair'>;
}

export function createRequests({ ledger, keys }: RequestsParts): Requests {
  /** Lists are long, and repeat most of the last one. */
  const seen = new Set<string>();
  const consents: ConsentRecord[] = [];
  const bonded: ConsentRecord[] = [];
  const signed = new Set<CodeRecord>();
  const waiting = { bonds: new Set<ConsentRecord>(), codes: new Set<CodeRecord>() };

  return {
    consents: () => consents,
    bonded: () => bonded,
    note: (texts) => {
      for (const text of texts) {
        const record = seen.has(text) ? undefined : parseKeyRecord(text);
        seen.add(text);
        if (record?.t === 'code') waiting.codes.add(record);
        if (record?.t !== 'consent') continue;
        consents.push(record);
        if (record.bond !== undefined) waiting.bonds.add(record);
      }
    },
    check: async (view) => {
      // Evaluates the log only for new requests.
      if (view === undefined || waiting.codes.size + waiting.bonds.size === 0) return;
      const { membership } = view;
      for (const record of waiting.codes) {
        if (asker(membership, record) === undefined) continue;
        waiting.codes.delete(record);
        if ((await isSignedCodeRequest(record, ledger, isSignedBy)) === true) signed.add(record);
      }
      if (!isFoundedBy(membership, keys)) return;
      for (const record of waiting.bonds) {
        waiting.bonds.delete(record);
        if (await isBonded(ledger, record, keys.pair)) bonded.push(record);
      }
    },
    codes: (membership) => {
      const newest = new Map<EntryId, CodeRecord>();
      for (const record of signed) {
        const person = asker(membership, record)?.person;
        if (person === undefined || membership.seats.ofKey(hex(record.sign)).length > 0) continue;
        const other = newest.get(person);
        if (other === undefined || hex(other.at) < hex(record.at)) newest.set(person, record);
      }
      return [...newest].map(([person, record]) => ({
        ...{ id: hex(deviceIdOf(record.pub)), user: textOf(record.user), name: nameIn(membership, person) },
        ...{ person, record },
      }));
    },
  };
}

/** Returns whether this is the first device of the founder. */
function isFoundedBy({ past }: Membership, { pair }: RequestsParts['keys']): boolean {
  const [start] = past.entries;
  return start?.kind === 'start' && start.device.seal === hex(pair.publicKey);
}

/** Returns the current device that asks, if the code is for its own person. */
function asker({ seats, isCurrent, past }: Membership, record: CodeRecord): Seat | undefined {
  const seat = seats.named({ key: hex(record.by), entry: hex(record.in) });
  if (seat?.kind !== 'device' || !isCurrent(seat)) return undefined;
  const admission = past.entryOf(seat.person);
  const isOwn = admission !== undefined && 'user' in admission && isUser(record.user, admission.user);
  return isOwn ? seat : undefined;
}

function isUser(bytes: Uint8Array, user: string): boolean {
  try {
    return textOf(bytes) === user;
  } catch {
    return false;
  }
}
