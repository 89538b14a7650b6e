/**
 * Determines which public keys of a sealed ledger may receive its next key: those that somebody
 * with access announced, as a device or by a recovery code.
 */
import { type KeyRecord, type LedgerDeviceEntry, parseKeyRecord } from '@fixpoint/protocol/storage';
import { hex } from '../base/bytes.ts';

/** The server's report about the records in the list. */
export interface Said {
  /** Devices announced by somebody with access; undefined if the server doesn't report them. */
  readonly devices?: readonly LedgerDeviceEntry[] | undefined;
  /** Records of members who left. */
  readonly removed?: readonly string[] | undefined;
  /**
   * Public keys of devices of this user whose requests were rejected, in base64url; undefined if
   * unchanged.
   */
  readonly rejected?: readonly string[] | undefined;
  /** All records that the server lists now. */
  readonly keyList?: readonly string[] | undefined;
}

export type Announced = ReadonlyMap<string, Pick<LedgerDeviceEntry, 'user' | 'since'>>;

/**
 * Returns announced keys, by hex public key. If the server doesn't list the allowed devices,
 * returns every announced key except those of removed members.
 */
export function announcedBy(
  records: ReadonlyMap<string, KeyRecord>,
  { devices, removed = [] }: Said,
): Announced {
  const announced = [...records.values()].flatMap(announcedIn);
  if (devices === undefined) {
    const gone = new Set(removed.flatMap((text) => announcedIn(parseKeyRecord(text))));
    return new Map(announced.filter((pub) => !gone.has(pub)).map((pub) => [pub, {}]));
  }
  const listed = new Map(devices.map((one) => [hexOf(one.pub), one]));
  return new Map(
    announced.flatMap((pub) => {
      const one = listed.get(pub);
      return one === undefined ? [] : [[pub, one] as const];
    }),
  );
}

/**
 * Returns the public key that a record announces. A grant to a device doesn't announce that device.
 */
function announcedIn(record: KeyRecord | undefined): readonly string[] {
  const isOwn = record?.t === 'device' || (record?.t === 'grant' && record.locked !== undefined);
  return isOwn ? [hex(record.pub)] : [];
}

/** Returns a public key in hex; empty if the text is damaged. */
export function hexOf(base64Url: string): string {
  try {
    const chars = atob(base64Url.replaceAll('-', '+').replaceAll('_', '/'));
    return hex(Uint8Array.from(chars, (char) => char.charCodeAt(0)));
  } catch {
    return '';
  }
}
