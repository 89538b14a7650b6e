/**
 * Stamps the events of this device (clock/stamp.ts). The id of the device is a row of the database.
 * It is created before the first commit, so two databases on one device have different ids.
 */
import { hex } from '../base/bytes.ts';
import { DEVICE_ID_BYTES, encodeStamp } from '../clock/stamp.ts';
import type { Guard } from '../ports/byte-store.ts';
import type { Time } from '../ports/time.ts';
import type { LocalRows } from './local-rows.ts';

const ROW = 'device';

export type Stamp = (timeMs?: number, frees?: Guard['frees']) => Promise<Uint8Array>;

export interface Stamps {
  /**
   * Returns the stamp of an event that was written at this time, by default now. Undefined if
   * events have no stamps. An id that isn't stored yet is stored with `frees` (see `Guard.frees`).
   */
  readonly stamp: Stamp | undefined;
  /**
   * Returns the id of this device in the events of this database, in hexadecimal digits. Undefined
   * if events have no stamps.
   */
  readonly device: () => Promise<string | undefined>;
}

export interface StampsParts {
  readonly rows: Pick<LocalRows, 'read' | 'write'>;
  readonly time: Pick<Time, 'now'>;
  /** Returns random bytes for a new id. Without this function, events have no stamps. */
  readonly random: ((length: number) => Uint8Array) | undefined;
}

export function createStamps({ rows, time, random }: StampsParts): Stamps {
  if (random === undefined) return { stamp: undefined, device: async () => undefined };
  return stampsWith({ rows, time, random });
}

function stampsWith({
  rows,
  time,
  random,
}: StampsParts & { readonly random: (length: number) => Uint8Array }): Stamps {
  let known: Uint8Array | undefined;

  async function idOfDevice(frees?: Guard['frees']): Promise<Uint8Array> {
    for (;;) {
      if (known !== undefined) return known;
      const stored = await rows.read(ROW);
      const id = stored?.length === DEVICE_ID_BYTES ? stored : random(DEVICE_ID_BYTES);
      // Another tab may create the id at the same time.
      const isStored =
        id === stored || (await rows.write([{ name: ROW, bytes: id }], { name: ROW, bytes: stored, frees }));
      if (isStored) known = id;
    }
  }

  return {
    stamp: async (timeMs = time.now(), frees) => encodeStamp(timeMs, await idOfDevice(frees)),
    device: async () => hex(await idOfDevice()),
  };
}
