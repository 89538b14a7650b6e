/** Signs events, and checks their signatures (decision 0156). The stamp contains the signature. */
import { concatBytes, utf8 } from '../base/bytes.ts';
import { isSignedBy, type Signer } from '../base/signatures.ts';
import type { Cid } from '../codec/cid.ts';
import { type ClockEvent, encodeEvent } from './event.ts';
import { encodeNamingStamp, encodeUnsignedStamp, loggedIn, signatureIn } from './stamp.ts';

/** Bytes that were signed for another purpose can't be used as an event. */
const PURPOSE = utf8('fixpoint event 1');

/**
 * - `valid`: the owner of the key signed exactly this event.
 * - `bad`: somebody changed the event or the signature.
 * - `unchecked`: this platform can't check signatures.
 * - `unknown`: the signed event contains no key, and no device in the membership log has its id.
 */
export type Signature = 'valid' | 'bad' | 'unchecked' | 'unknown';

/**
 * Returns the event with a stamp that contains its signature.
 * @param name the entry of the membership log that the event names, or zeros; undefined in a ledger
 * without a log
 */
export async function signedEvent(
  event: ClockEvent,
  timeMs: number,
  signer: Signer,
  name?: Uint8Array,
): Promise<ClockEvent> {
  const { publicKey } = signer;
  const by =
    name === undefined ? encodeUnsignedStamp(timeMs, publicKey) : encodeNamingStamp(timeMs, publicKey, name);
  const signature = await signer.sign(textOf({ ...event, by }));
  return { ...event, by: concatBytes([by, signature]) };
}

const checked = new WeakMap<ClockEvent, Promise<Signature>>();

/**
 * Returns whether an event's signature is right; undefined for an event without a signature, and
 * for one whose stamp contains no key.
 */
export async function signatureOf(cid: Cid, event: ClockEvent): Promise<Signature | undefined> {
  const key = signatureIn(event.by)?.key;
  if (key === undefined) return undefined;
  const known = checked.get(event) ?? signatureBy(cid, event, key);
  checked.set(event, known);
  return known;
}

/**
 * Returns whether an event's signature by a key is right. A stamp of version 3 doesn't contain the
 * key: the membership log does.
 */
export async function signatureBy(cid: Cid, event: ClockEvent, key: Uint8Array): Promise<Signature> {
  const found = signatureIn(event.by) ?? loggedIn(event.by);
  // Otherwise, somebody could add bytes that decoding ignores.
  if (found === undefined || encodeEvent(event).cid !== cid) return 'bad';
  const isRight = await isSignedBy(key, textOf({ ...event, by: found.unsigned }), found.signature);
  return isRight === undefined ? 'unchecked' : isRight ? 'valid' : 'bad';
}

const textOf = (event: ClockEvent): Uint8Array => concatBytes([PURPOSE, encodeEvent(event).bytes]);
