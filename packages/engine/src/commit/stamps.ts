/**
 * Stamps the events of this device (clock/stamp.ts), and signs them if the database wants that, or
 * if its ledger has a membership log. The id of the device, or its key pair, is a row of the
 * database. It is created before the first commit, so two databases on one device have different
 * ones.
 */
import { hex } from '../base/bytes.ts';
import { newPair } from '../base/p256.ts';
import { type Signer, signerOf } from '../base/signatures.ts';
import type { ClockEvent } from '../clock/event.ts';
import { signedEvent } from '../clock/signature.ts';
import { DEVICE_ID_BYTES, deviceOfKey, ENTRY_NAME_BYTES, encodeStamp } from '../clock/stamp.ts';
import type { Guard } from '../ports/byte-store.ts';
import type { Time } from '../ports/time.ts';
import type { LocalRows } from './local-rows.ts';

const DEVICE_ROW = 'device';
const SIGNER_ROW = 'signer';
/**
 * The entry of the membership log that events of this device name, and further bytes for other
 * readers. The code that follows the log writes this row.
 */
export const LOG_NAME_ROW = 'log-name';
const PAIR_BYTES = 97;
const SECRET_BYTES = 32;

export interface StampOptions {
  /** When the event was written; by default now. */
  readonly timeMs?: number | undefined;
  /** See `Guard.frees`. An id or key pair that isn't stored yet is stored with it. */
  readonly frees?: Guard['frees'];
  /** Whether the database was ever attached to a ledger, which may have a membership log. */
  readonly isAttached?: boolean;
}

/** Returns the event with a stamp. @throws FixpointError as {@link Stamps.device} */
export type Stamp = (event: ClockEvent, options: StampOptions) => Promise<ClockEvent>;

export interface Stamps {
  /** Returns an event as it is if events have no stamps. */
  readonly stamp: Stamp;
  /**
   * Returns the id of this device in the events of this database, in hexadecimal digits. Undefined
   * if events have no stamps.
   * @throws FixpointError STORE_FULL, STORE_FAILED, CORRUPT; NOT_IMPLEMENTED if this platform can't
   * sign
   */
  readonly device: () => Promise<string | undefined>;
}

export interface StampsParts {
  readonly rows: Pick<LocalRows, 'read' | 'write'>;
  readonly time: Pick<Time, 'now'>;
  /** Returns random bytes for a new id or key. Without this function, events have no stamps. */
  readonly random: ((length: number) => Uint8Array) | undefined;
  /** Whether events are signed. */
  readonly isSigned?: boolean | undefined;
}

export function createStamps({ rows, time, random, isSigned }: StampsParts): Stamps {
  const own = random && (isSigned === true ? signingWith : stampingWith)({ rows, time, random });
  const loadSigner = loadOnce(rows);
  /** Returns the signer and the name for events in a ledger with a membership log. */
  const logged = async () => {
    // Read each time, because another tab or process may follow the log.
    const name = (await rows.read(LOG_NAME_ROW))?.subarray(0, ENTRY_NAME_BYTES);
    const signer = name && (await loadSigner());
    return signer && { name, signer };
  };
  return {
    stamp: async (event, options) => {
      const { timeMs = time.now(), isAttached = false } = options;
      const found = isAttached ? await logged() : undefined;
      if (found !== undefined) return signedEvent(event, timeMs, found.signer, found.name);
      return own === undefined ? event : own.stamp(event, options);
    },
    device: async () => {
      const found = await logged();
      return found === undefined ? own?.device() : hex(deviceOfKey(found.signer.publicKey));
    },
  };
}

/** Returns a function that loads the signer of a database, if the database has one. */
function loadOnce(rows: StampsParts['rows']): () => Promise<Signer | undefined> {
  let known: Signer | undefined;
  return async () => {
    const stored = known === undefined ? await rows.read(SIGNER_ROW) : undefined;
    if (stored?.length === PAIR_BYTES) known = await signerOf(stored);
    return known;
  };
}

interface OwnStamps {
  readonly stamp: Stamp;
  readonly device: () => Promise<string>;
}

type Parts = StampsParts & { readonly random: (length: number) => Uint8Array };

function stampingWith({ rows, time, random }: Parts): OwnStamps {
  const id = once(rows, DEVICE_ROW, DEVICE_ID_BYTES, async () => random(DEVICE_ID_BYTES));
  return {
    stamp: async (event, { timeMs = time.now(), frees }) => ({
      ...event,
      by: encodeStamp(timeMs, await id(frees)),
    }),
    device: async () => hex(await id()),
  };
}

function signingWith({ rows, time, random }: Parts): OwnStamps {
  const pair = once(rows, SIGNER_ROW, PAIR_BYTES, async () => (await newPair(random(SECRET_BYTES))).both);
  let known: Signer | undefined;
  const signer = async (frees?: Guard['frees']) => {
    known ??= await signerOf(await pair(frees));
    return known;
  };
  return {
    stamp: async (event, { timeMs = time.now(), frees }) => signedEvent(event, timeMs, await signer(frees)),
    device: async () => hex(deviceOfKey((await signer()).publicKey)),
  };
}

/** Returns a function that reads a row of a fixed length, and creates it first if needed. */
function once(
  rows: StampsParts['rows'],
  name: string,
  length: number,
  create: () => Promise<Uint8Array>,
): (frees?: Guard['frees']) => Promise<Uint8Array> {
  let known: Uint8Array | undefined;
  return async (frees) => {
    for (;;) {
      if (known !== undefined) return known;
      const stored = await rows.read(name);
      const bytes = stored?.length === length ? stored : await create();
      // Another tab or process may create the row at the same time.
      const guard = { name, bytes: stored, frees, coversAll: true };
      const isStored = bytes === stored || (await rows.write([{ name, bytes }], guard));
      if (isStored) known = bytes;
    }
  };
}
