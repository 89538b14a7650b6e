/**
 * Seals earlier keys of a sealed ledger with a later one: `docs/internals/sealed-ledgers.md`, "The
 * chain of keys".
 */
import type { ChainRecord } from '@fixpoint/protocol/storage';
import { concatBytes, hex } from '../base/bytes.ts';
import { asArray, decode, encode } from '../codec/dag-cbor.ts';
import type { Random } from '../ports/random.ts';
import { aesGcm } from './aes-gcm.ts';
import { type LedgerKey, ledgerKey } from './sealed-object.ts';

const NOTHING = new Uint8Array();
const NONCE_BYTES = 12;
const ID_BYTES = 16;
const KEY_BYTES = 32;
/**
 * Maximum number of keys in one record. They take about two thirds of the maximum length of a
 * record.
 */
const KEYS_MAX = 200;

const boundTo = (ledger: Uint8Array, key: LedgerKey) => encode([1, 'chain', ledger, key.id]);

/** Seals earlier keys for everybody who has this key. */
export async function sealKeys(
  ledger: Uint8Array,
  key: LedgerKey,
  earlier: readonly LedgerKey[],
  random: Random,
): Promise<Uint8Array> {
  const nonce = random.bytes(NONCE_BYTES);
  const material = await aesGcm.derive(key.material, NOTHING, 'fixpoint chain 1');
  const payload = encode(earlier.map((one) => one.material));
  return concatBytes([nonce, await aesGcm.encrypt(material, nonce, payload, boundTo(ledger, key))]);
}

/** Opens sealed keys; returns none if the content is invalid. */
export async function openKeys(
  ledger: Uint8Array,
  key: LedgerKey,
  box: Uint8Array,
): Promise<readonly LedgerKey[]> {
  try {
    const material = await aesGcm.derive(key.material, NOTHING, 'fixpoint chain 1');
    const [nonce, data] = [box.subarray(0, NONCE_BYTES), box.subarray(NONCE_BYTES)];
    const payload = asArray(decode(await aesGcm.decrypt(material, nonce, data, boundTo(ledger, key))));
    return payload.flatMap((one) =>
      one instanceof Uint8Array && one.length === KEY_BYTES ? [ledgerKey(one)] : [],
    );
  } catch {
    return [];
  }
}

/** Creates as many records as needed to lead from this key to the earlier ones. */
export async function makeChain(
  ledger: Uint8Array,
  key: LedgerKey,
  earlier: readonly LedgerKey[],
  random: Random,
): Promise<readonly ChainRecord[]> {
  const records: ChainRecord[] = [];
  for (let start = 0; start < earlier.length; start += KEYS_MAX) {
    const part = earlier.slice(start, start + KEYS_MAX);
    records.push({
      t: 'chain',
      key: key.id,
      box: await sealKeys(ledger, key, part, random),
      proofs: await Promise.all(part.map((one) => vouch(ledger, one, key.id, random))),
    });
  }
  return records;
}

const vouchFor = (ledger: Uint8Array, earlier: LedgerKey, later: Uint8Array) =>
  encode([1, 'vouch', ledger, earlier.id, later]);

async function vouch(ledger: Uint8Array, earlier: LedgerKey, later: Uint8Array, random: Random) {
  const nonce = random.bytes(NONCE_BYTES);
  const material = await aesGcm.derive(earlier.material, NOTHING, 'fixpoint vouch 1');
  const tag = await aesGcm.encrypt(material, nonce, NOTHING, vouchFor(ledger, earlier, later));
  return concatBytes([earlier.id, nonce, tag]);
}

/**
 * Returns which of these keys vouch for the key of the record. A key vouches if the record proves
 * that its author knew that key.
 */
export async function vouchersOf(
  ledger: Uint8Array,
  { key, proofs }: ChainRecord,
  keys: ReadonlyMap<string, LedgerKey>,
): Promise<readonly string[]> {
  const found = await Promise.all(
    proofs.map(async (proof) => {
      const earlier = keys.get(hex(proof.subarray(0, ID_BYTES)));
      if (earlier === undefined) return [];
      const material = await aesGcm.derive(earlier.material, NOTHING, 'fixpoint vouch 1');
      const nonce = proof.subarray(ID_BYTES, ID_BYTES + NONCE_BYTES);
      const tag = proof.subarray(ID_BYTES + NONCE_BYTES);
      return aesGcm.decrypt(material, nonce, tag, vouchFor(ledger, earlier, key)).then(
        () => [earlier.name],
        () => [],
      );
    }),
  );
  return found.flat();
}
