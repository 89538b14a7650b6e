/** Signs events, and checks their signatures (decision 0156). The stamp contains the signature. */
import { concatBytes, utf8 } from '../base/bytes.ts';
import { isSignedBy, type Signer } from '../base/signatures.ts';
import type { Cid } from '../codec/cid.ts';
import { type ClockEvent, encodeEvent } from './event.ts';
import { encodeUnsignedStamp, signatureIn } from './stamp.ts';

/** Bytes that were signed for another purpose can't be used as an event. */
const PURPOSE = utf8('fixpoint event 1');

/**
 * - `valid`: the owner of the key signed exactly this event.
 * - `bad`: somebody changed the event or the signature.
 * - `unchecked`: this platform can't check signatures.
 */
export type Signature = 'valid' | 'bad' | 'unchecked';

/** Returns the event with a stamp that contains its signature. */
export async function signedEvent(event: ClockEvent, timeMs: number, signer: Signer): Promise<ClockEvent> {
  const by = encodeUnsignedStamp(timeMs, signer.publicKey);
  const signature = await signer.sign(textOf({ ...event, by }));
  return { ...event, by: concatBytes([by, signature]) };
}

const checked = new WeakMap<ClockEvent, Promise<Signature>>();

/** Returns whether an event's signature is right; undefined for an event without a signature. */
export async function signatureOf(cid: Cid, event: ClockEvent): Promise<Signature | undefined> {
  const found = signatureIn(event.by);
  if (found === undefined) return undefined;
  const { key, signature, unsigned } = found;
  const check = async (): Promise<Signature> => {
    // Otherwise, somebody could add bytes that decoding ignores.
    if (encodeEvent(event).cid !== cid) return 'bad';
    const isRight = await isSignedBy(key, textOf({ ...event, by: unsigned }), signature);
    return isRight === undefined ? 'unchecked' : isRight ? 'valid' : 'bad';
  };
  const known = checked.get(event) ?? check();
  checked.set(event, known);
  return known;
}

const textOf = (event: ClockEvent): Uint8Array => concatBytes([PURPOSE, encodeEvent(event).bytes]);
