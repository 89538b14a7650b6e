/**
 * The membership log that a device is about to start. It is durable before `start` is sent: without
 * it, a device that stops before the answer arrives wouldn't know its own log
 * (docs/internals/membership-rules.md, L1).
 */
import { FixpointError } from '@fixpoint/protocol';
import { asArray, decode, encode } from '../codec/dag-cbor.ts';
import type { StoreChange } from '../ports/byte-store.ts';
import type { KnownKeys } from './known-keys.ts';

export interface LogPlan {
  /** The id of the log: the hash of `start`. */
  readonly log: Uint8Array;
  /** The text of `start`. */
  readonly start: string;
  /** Records to put in the same request. */
  readonly records: readonly string[];
}

type Place = Pick<KnownKeys, 'prefix' | 'save' | 'log' | 'plan'>;

/** @throws FixpointError CORRUPT when the row is damaged */
export function decodePlan(row: Uint8Array | undefined): LogPlan | undefined {
  if (row === undefined) return undefined;
  const [log, start, ...records] = asArray(decode(row));
  if (log instanceof Uint8Array && typeof start === 'string')
    return { log, start, records: records.map(String) };
  throw new FixpointError('CORRUPT', 'row of a membership log');
}

const rowOf = ({ prefix }: Place, plan: LogPlan | undefined): StoreChange => ({
  key: `${prefix}log-start`,
  bytes: plan && encode([plan.log, plan.start, ...plan.records]),
});

/** Makes a plan durable, or drops it because the server rejected the log. */
export async function keepPlan(known: Place, plan: LogPlan | undefined): Promise<void> {
  await known.save([rowOf(known, plan)]);
  known.plan = plan;
}

/**
 * Learns that the server has the log that this device planned.
 * @throws FixpointError CONFLICT if this device knows another log
 */
export async function takePlan(known: Place, plan: LogPlan): Promise<void> {
  if (known.log !== undefined)
    throw new FixpointError('CONFLICT', 'this device knows another membership log');
  await known.save([{ key: `${known.prefix}log`, bytes: plan.log }, rowOf(known, undefined)]);
  known.log = plan.log;
  known.plan = undefined;
}
