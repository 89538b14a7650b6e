/**
 * The key pair of this device for one sealed ledger, and the secret of its request for approval.
 * Rows: `<prefix>pair` contains the private and the public key, `<prefix>request` contains the
 * secret. Earlier versions stored a secret of 10 bytes after the pair, and never changed it. The
 * row still ends with 10 bytes, so that earlier versions can read it, but these bytes are random
 * and open nothing.
 */
import { FixpointError } from '@fixpoint/protocol';
import { concatBytes } from '../base/bytes.ts';
import { newPair, type OpenKeyPair, pairOf } from '../base/p256.ts';
import type { StoreChange } from '../ports/byte-store.ts';
import type { Random } from '../ports/random.ts';
import { deviceIdOf } from './grant.ts';
import { decodeCode, encodeCode } from './secret-code.ts';

const PAIR_BYTES = 97;
const SECRET_BYTES = 16;
const DEVICE_BYTES = 16;
/** Length of the id and of the secret in the codes of earlier versions. */
const FORMER_BYTES = 10;

export interface PairParts {
  readonly random: Random;
  readonly prefix: string;
  readonly rows: ReadonlyMap<string, Uint8Array>;
  readonly save: (rows: readonly StoreChange[]) => Promise<void>;
  /** Reads the rows again: another tab may have made a request. */
  readonly reread?: () => Promise<ReadonlyMap<string, Uint8Array>>;
}

export interface DevicePair {
  readonly pair: OpenKeyPair;
  secret(): Uint8Array;
  /**
   * Returns the secrets that may open a grant: the secret of the pending request and, until the
   * database is closed, the secret of the last answered request. The approving device uses the
   * secret of the last request again if another device created a key at the same time.
   */
  secrets(): readonly Uint8Array[];
  /** Returns the code that the user enters on a device that has the keys. */
  code(): string;
  /** Checks for a later request by another tab. Returns whether the secret changed. */
  refresh(): Promise<boolean>;
  /**
   * Returns the rows for the next request. Call this when the current request was answered, and
   * `begun` when the rows are durable.
   */
  nextRequest(): { readonly rows: readonly StoreChange[]; readonly begun: () => void };
}

/**
 * Loads or creates the pair.
 * @param wasLetIn whether the device was approved before. If so, it doesn't reuse the secret of an
 * earlier version.
 * @throws FixpointError CORRUPT
 */
export async function loadPair(parts: PairParts, wasLetIn: boolean): Promise<DevicePair> {
  const { prefix, rows, random, save, reread } = parts;
  const known = rows.get(`${prefix}pair`);
  if (known !== undefined && known.length !== PAIR_BYTES + FORMER_BYTES)
    throw new FixpointError('CORRUPT', 'key pair of this device');
  const pair = await (known === undefined
    ? newPair(random.bytes(32))
    : pairOf(known.subarray(0, PAIR_BYTES)));
  const former = known?.slice(PAIR_BYTES);
  const stored = rows.get(`${prefix}request`);
  if (stored !== undefined && stored.length !== SECRET_BYTES)
    throw new FixpointError('CORRUPT', 'request of this device');
  let secret = stored ?? (wasLetIn ? undefined : former) ?? random.bytes(SECRET_BYTES);
  let answered: Uint8Array | undefined;
  const rowsFor = (next: Uint8Array): StoreChange[] => [
    { key: `${prefix}pair`, bytes: concatBytes([pair.both, random.bytes(FORMER_BYTES)]) },
    { key: `${prefix}request`, bytes: next },
  ];
  if (stored === undefined && secret !== former) await save(rowsFor(secret));

  return {
    pair,
    secret: () => secret,
    secrets: () => (answered === undefined ? [secret] : [secret, answered]),
    code: () => {
      const id = deviceIdOf(pair.publicKey).subarray(0, secret.length);
      return encodeCode(concatBytes([id, secret]));
    },
    refresh: async () => {
      const now = (await reread?.())?.get(`${prefix}request`);
      if (now?.length !== SECRET_BYTES || now.every((byte, at) => byte === secret[at])) return false;
      secret = now;
      return true;
    },
    nextRequest: () => {
      const next = random.bytes(SECRET_BYTES);
      return {
        rows: rowsFor(next),
        begun: () => {
          answered = secret;
          secret = next;
        },
      };
    },
  };
}

/**
 * Reads the device id and the secret from a code of this or an earlier version.
 * @throws FixpointError REQUEST_INVALID when the code is mistyped
 */
export function readDeviceCode(text: string): { readonly id: Uint8Array; readonly secret: Uint8Array } {
  const letters = text.replace(/[\s-]/g, '').length;
  const bytes = letters <= FORMER_CODE_LETTERS ? FORMER_BYTES : DEVICE_BYTES;
  const code = decodeCode(text, bytes + (bytes === FORMER_BYTES ? FORMER_BYTES : SECRET_BYTES));
  return { id: code.subarray(0, bytes), secret: code.subarray(bytes) };
}

/** Length of a code of an earlier version: 22 bytes, with five bits in each letter. */
const FORMER_CODE_LETTERS = 36;
