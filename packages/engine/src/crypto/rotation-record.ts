/**
 * Creates and opens rotations of ledger keys: `docs/internals/sealed-ledgers.md`, "Key records".
 */
import type { RotateRecord } from '@fixpoint/protocol/storage';
import { concatBytes } from '../base/bytes.ts';
import { type KeyPair, newPair } from '../base/p256.ts';
import { encode } from '../codec/dag-cbor.ts';
import { aesGcm } from './aes-gcm.ts';
import { type GrantParts, NONCE_ZERO, prove } from './grant.ts';
import { sealKeys } from './key-chain.ts';
import { type LedgerKey, ledgerKey } from './sealed-object.ts';

/**
 * Creates a rotation: a new random key, sealed for each of these public keys.
 * @param skipped is called for each public key that allows no shared secret, so that one bad key
 * doesn't block the others
 */
export async function makeRotation(
  { ledger, random, current: prev }: Omit<GrantParts, 'keys'>,
  all: readonly Uint8Array[],
  skipped: (pub: Uint8Array, cause: unknown) => void,
): Promise<RotateRecord> {
  const next = ledgerKey(random.bytes(32));
  const once = await newPair(random.bytes(32));
  const eph = once.publicKey;
  const pubs: Uint8Array[] = [];
  const boxes: Uint8Array[] = [];
  for (const pub of all) {
    try {
      const kek = await rotateKey(await once.agree(pub), eph, pub);
      const bound = encode([1, 'rotate', ledger, next.id, prev.id, pub]);
      boxes.push(await aesGcm.encrypt(kek, NONCE_ZERO, next.material, bound));
      pubs.push(pub);
    } catch (cause) {
      skipped(pub, cause);
    }
  }
  const body = { t: 'rotate', key: next.id, prev: prev.id, pubs, eph, boxes } as const;
  const proof = await prove(ledger, body, prev, random);
  return { ...body, proof, back: await sealKeys(ledger, next, [prev], random) };
}

/** Returns the key of a rotation that lists this pair; undefined when its box doesn't open. */
export async function openRotation(
  ledger: Uint8Array,
  { key, prev, eph }: RotateRecord,
  box: Uint8Array,
  pair: KeyPair,
): Promise<LedgerKey | undefined> {
  try {
    const pub = pair.publicKey;
    const kek = await rotateKey(await pair.agree(eph), eph, pub);
    return ledgerKey(
      await aesGcm.decrypt(kek, NONCE_ZERO, box, encode([1, 'rotate', ledger, key, prev, pub])),
    );
  } catch {
    return undefined;
  }
}

const rotateKey = (shared: Uint8Array, eph: Uint8Array, pub: Uint8Array) =>
  aesGcm.derive(shared, concatBytes([eph, pub]), 'fixpoint rotate 1');
