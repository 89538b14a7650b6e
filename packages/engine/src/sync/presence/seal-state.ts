/**
 * Seals and opens states of presence: `docs/internals/sealed-ledgers.md`, "Presence". A sealed
 * state is bound to its ledger, its user, its client and its number, so the gateway can't show it
 * as the state of another user, client or ledger, nor an earlier state as the current one.
 */
import { FixpointError } from '@fixpoint/protocol';
import { PRESENCE_STATE_CHARS_MAX } from '@fixpoint/protocol/storage';
import { concatBytes, hex, textOf, utf8 } from '../../base/bytes.ts';
import { encode } from '../../codec/dag-cbor.ts';
import { aesGcm, TAG_BYTES } from '../../crypto/aes-gcm.ts';
import type { Random } from '../../ports/random.ts';

const VERSION = 1;
const KEY_ID_BYTES = 8;
const NUMBER_BYTES = 6;
const NONCE_BYTES = 12;
const NONCE_AT = 1 + KEY_ID_BYTES + NUMBER_BYTES;
const HEAD_BYTES = NONCE_AT + NONCE_BYTES;
const PURPOSE = 'fixpoint presence 1';

/** A key that seals states. */
export interface PresenceKey {
  readonly material: Uint8Array;
  /** The first bytes of the key's id, as hex text. */
  readonly name: string;
  readonly id: Uint8Array;
}

export const presenceKey = (material: Uint8Array, id: Uint8Array): PresenceKey => {
  const short = id.slice(0, KEY_ID_BYTES);
  return { material, id: short, name: hex(short) };
};

/** The owner of a state. Clients of different users may have the same id. */
export interface Client {
  readonly id: string;
  /** The id of the user, as the gateway reports it. */
  readonly user: string;
}

/** A sealed state, with the parts that aren't encrypted. */
export interface SealedState {
  /** The name of the key. */
  readonly key: string;
  /** Increases with each state that a client sends. */
  readonly number: number;
  readonly bytes: Uint8Array;
}

/** Derives the key of one client, so that random nonces of different clients never meet. */
export const clientKey = (key: PresenceKey, client: string): Promise<Uint8Array> =>
  aesGcm.derive(key.material, utf8(client), PURPOSE);

const boundTo = (ledger: Uint8Array, { user, id }: Client, number: number) =>
  encode([1, ledger, user, id, number]);

/**
 * Seals a state.
 * @param ledger identifies the ledger, as bytes
 * @param subkey the key of the client: see {@link clientKey}
 */
export async function sealState(
  ledger: Uint8Array,
  client: Client,
  number: number,
  text: string,
  { id }: PresenceKey,
  subkey: Uint8Array,
  random: Random,
): Promise<string> {
  const nonce = random.bytes(NONCE_BYTES);
  const head = concatBytes([Uint8Array.of(VERSION), id, numberBytes(number), nonce]);
  const around = [head, new Uint8Array()] as const;
  const bound = boundTo(ledger, client, number);
  return base64Url(await aesGcm.encrypt(subkey, nonce, utf8(text), bound, around));
}

/** Reads the parts of a sealed state that aren't encrypted; returns undefined for other text. */
export function readSealed(text: string): SealedState | undefined {
  if (text.length > PRESENCE_STATE_CHARS_MAX) return undefined;
  let bytes: Uint8Array;
  try {
    bytes = Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (char) =>
      char.charCodeAt(0),
    );
  } catch {
    return undefined;
  }
  if (bytes[0] !== VERSION || bytes.length < HEAD_BYTES + TAG_BYTES) return undefined;
  const number = bytes.subarray(1 + KEY_ID_BYTES, NONCE_AT).reduce((sum, byte) => sum * 256 + byte, 0);
  return { key: hex(bytes.subarray(1, 1 + KEY_ID_BYTES)), number, bytes };
}

/**
 * Opens a sealed state.
 * @throws any error when the state isn't from this client in this ledger, or isn't an object
 */
export async function openState(
  ledger: Uint8Array,
  client: Client,
  { number, bytes }: SealedState,
  subkey: Uint8Array,
): Promise<object> {
  const nonce = bytes.subarray(NONCE_AT, HEAD_BYTES);
  const bound = boundTo(ledger, client, number);
  const plain = await aesGcm.decrypt(subkey, nonce, bytes.subarray(HEAD_BYTES), bound);
  const state: unknown = JSON.parse(textOf(plain));
  if (typeof state !== 'object' || state === null || Array.isArray(state))
    throw new FixpointError('CORRUPT', 'state of presence');
  return state;
}

function numberBytes(number: number): Uint8Array {
  const bytes = new Uint8Array(NUMBER_BYTES);
  let rest = number;
  for (let at = NUMBER_BYTES - 1; at >= 0; at -= 1) {
    bytes[at] = rest % 256;
    rest = Math.floor(rest / 256);
  }
  return bytes;
}

const base64Url = (bytes: Uint8Array): string =>
  btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
