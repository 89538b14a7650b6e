import { FixpointError } from '@fixpoint/protocol';
import { type Cid, codecOf, DAG_CBOR, parseCid } from '../codec/cid.ts';
import { type Head, sortHead } from './event.ts';

/** Parses the CID of an event that a caller passed. @throws FixpointError HEAD_INVALID */
export function parseEvent(given: unknown): Cid {
  try {
    const cid = parseCid(given);
    if (codecOf(cid) === DAG_CBOR) return cid;
  } catch (cause) {
    throw new FixpointError('HEAD_INVALID', 'not the CID of an event', { cause });
  }
  throw new FixpointError('HEAD_INVALID', 'not the CID of an event');
}

/** Parses a head that a caller passed. @throws FixpointError HEAD_INVALID */
export function parseHead(given: unknown): Head {
  if (!Array.isArray(given)) throw new FixpointError('HEAD_INVALID', 'not an array of events');
  return sortHead(given.map(parseEvent));
}
