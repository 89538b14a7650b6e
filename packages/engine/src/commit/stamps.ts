/**
 * Stamps the events of this device (clock/stamp.ts), and signs them if the database wants that. The
 * id of the device, or its key pair, is a row of the database. It is created before the first
 * commit, so two databases on one device have different ones.
 */
import { hex } from '../base/bytes.ts';
import { newPair } from '../base/p256.ts';
import { type Signer, signerOf } from '../base/signatures.ts';
import type { ClockEvent } from '../clock/event.ts';
import { signedEvent } from '../clock/signature.ts';
import { DEVICE_ID_BYTES, deviceOfKey, encodeStamp } from '../clock/stamp.ts';
import type { Guard } from '../ports/byte-store.ts';
import type { Time } from '../ports/time.ts';
import type { LocalRows } from './local-rows.ts';

const DEVICE_ROW = 'device';
const SIGNER_ROW = 'signer';
const PAIR_BYTES = 97;
const SECRET_BYTES = 32;

export interface StampOptions {
  /** When the event was written; by default now. */
  readonly timeMs?: number | undefined;
  /** See `Guard.frees`. An id or key pair that isn't stored yet is stored with it. */
  readonly frees?: Guard['frees'];
}

/** Returns the event with a stamp. @throws FixpointError as {@link Stamps.device} */
export type Stamp = (event: ClockEvent, options: StampOptions) => Promise<ClockEvent>;

export interface Stamps {
  /** Undefined if events have no stamps. */
  readonly stamp: Stamp | undefined;
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
  if (random === undefined) return { stamp: undefined, device: async () => undefined };
  return isSigned === true ? signingWith({ rows, time, random }) : stampingWith({ rows, time, random });
}

type Parts = StampsParts & { readonly random: (length: number) => Uint8Array };

function stampingWith({ rows, time, random }: Parts): Stamps {
  const id = once(rows, DEVICE_ROW, DEVICE_ID_BYTES, async () => random(DEVICE_ID_BYTES));
  return {
    stamp: async (event, { timeMs = time.now(), frees }) => ({
      ...event,
      by: encodeStamp(timeMs, await id(frees)),
    }),
    device: async () => hex(await id()),
  };
}

function signingWith({ rows, time, random }: Parts): Stamps {
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
