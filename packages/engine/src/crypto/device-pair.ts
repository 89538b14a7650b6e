/**
 * The key pair of this device for one sealed ledger, and the secret of its request for approval.
 * Rows: `<prefix>pair` holds the private and the public key, `<prefix>request` the secret. Earlier
 * versions stored one secret of 10 bytes after the pair, for the life of the device. They still
 * find one there, but it opens nothing.
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
   * Secrets that may open a grant: that of the pending request and, until the database is closed,
   * the last answered one. The approving device grants again if another device created a key at the
   * same moment.
   */
  secrets(): readonly Uint8Array[];
  /** Returns the code that the user enters on a device that has the keys. */
  code(): string;
  /** Checks for a later request by another tab. Returns whether the secret changed. */
  refresh(): Promise<boolean>;
  /**
   * Returns rows for the next request, once this one was answered. Call `begun` when they are
   * durable.
   */
  nextRequest(): { readonly rows: readonly StoreChange[]; readonly begun: () => void };
}

/**
 * Loads or creates the pair.
 * @param wasLetIn whether the device was approved: then the secret of an earlier version isn't
 * reused
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
 * Reads the device and the secret of a code, also of an earlier version.
 * @throws FixpointError REQUEST_INVALID when it is mistyped
 */
export function readDeviceCode(text: string): { readonly id: Uint8Array; readonly secret: Uint8Array } {
  const letters = text.replace(/[\s-]/g, '').length;
  const bytes = letters <= FORMER_CODE_LETTERS ? FORMER_BYTES : DEVICE_BYTES;
  const code = decodeCode(text, bytes + (bytes === FORMER_BYTES ? FORMER_BYTES : SECRET_BYTES));
  return { id: code.subarray(0, bytes), secret: code.subarray(bytes) };
}

/** 22 bytes, five bits a letter. */
const FORMER_CODE_LETTERS = 36;
