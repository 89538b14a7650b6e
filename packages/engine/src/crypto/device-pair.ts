/**
 * The key pair of this device for one sealed ledger, and the secret of its request to be let in. Rows: `<prefix>pair` the private and the public key,
 * `<prefix>request` the secret. Earlier versions had one secret of 10 bytes for the life of the device, behind the pair; they still find one there, which opens
 * nothing.
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
/** Of the id and of the secret in the codes of earlier versions. */
const FORMER_BYTES = 10;

export interface PairParts {
  readonly random: Random;
  readonly prefix: string;
  readonly rows: ReadonlyMap<string, Uint8Array>;
  readonly save: (rows: readonly StoreChange[]) => Promise<void>;
  /** The rows as they are now: another tab may have made a request since. */
  readonly reread?: () => Promise<ReadonlyMap<string, Uint8Array>>;
}

export interface DevicePair {
  readonly pair: OpenKeyPair;
  secret(): Uint8Array;
  /**
   * Secrets with which a grant may open: besides the one of the request that waits, until the database is closed, the one that was answered last. Whoever let
   * this device in does so again when somebody made another key at the same moment.
   */
  secrets(): readonly Uint8Array[];
  /** What the user carries to a device that has the keys. */
  code(): string;
  /** Looks whether another tab made a later request. Gives whether the secret is another one. */
  refresh(): Promise<boolean>;
  /** Rows for the next request: this one was answered. To be called with `begun` when they are durable. */
  nextRequest(): { readonly rows: readonly StoreChange[]; readonly begun: () => void };
}

/** @param wasLetIn a secret that an earlier version kept after its request was answered is not used again. @throws FixpointError CORRUPT */
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

/** The device and the secret in a code, also of an earlier version. @throws FixpointError REQUEST_INVALID when it is mistyped */
export function readDeviceCode(text: string): { readonly id: Uint8Array; readonly secret: Uint8Array } {
  const letters = text.replace(/[\s-]/g, '').length;
  const bytes = letters <= FORMER_CODE_LETTERS ? FORMER_BYTES : DEVICE_BYTES;
  const code = decodeCode(text, bytes + (bytes === FORMER_BYTES ? FORMER_BYTES : SECRET_BYTES));
  return { id: code.subarray(0, bytes), secret: code.subarray(bytes) };
}

/** 22 bytes, five bits a letter. */
const FORMER_CODE_LETTERS = 36;
