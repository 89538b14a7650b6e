import type { EventStamp } from 'fixpoint';

/** Number of digits to show of an id: enough to distinguish the devices of one person. */
const DIGITS = 6;

/** The author of an event, as far as it is known. */
export interface Who {
  /** Distinguishes authors: the id of an account, or else of a device. */
  readonly id: string;
  readonly name: string;
  /** The address of the account, if it is known. */
  readonly email: string | undefined;
  /** Whether `name` is the name of a person. */
  readonly isPerson: boolean;
  /** The device, if `name` doesn't already name it. */
  readonly device: string | undefined;
}

/** A person, whose name nobody verified. Only the address identifies them. */
interface Person {
  readonly name: string;
  readonly email: string | undefined;
}

/** Maps ids of accounts to people. */
export type People = ReadonlyMap<string, Person>;
export const NOBODY: People = new Map();

/**
 * Returns the author of an event: the account from which the gateway received it, or else the
 * device that it contains.
 * @param own the id of this device
 */
export function whoWrote(
  { device, received }: Pick<EventStamp, 'device' | 'received'>,
  own: string | undefined,
  people: People,
): Who {
  const account = received?.account;
  if (account !== undefined) {
    const person = people.get(account);
    return {
      id: account,
      name: person?.name ?? `Account ${account.slice(0, DIGITS)}`,
      email: person?.email,
      isPerson: person !== undefined,
      device: device === undefined ? undefined : deviceName(device, own).toLowerCase(),
    };
  }
  const name = device === undefined ? 'Unknown author' : deviceName(device, own);
  return { id: device ?? '', name, email: undefined, isPerson: false, device: undefined };
}

/** Returns the authors of events, each of them once, sorted by name. */
export function authorsOf(
  stamps: readonly Pick<EventStamp, 'device' | 'received'>[],
  own: string | undefined,
  people: People,
): readonly Who[] {
  const byId = new Map<string, Who>();
  for (const stamp of stamps) {
    const who = whoWrote(stamp, own, people);
    if (!byId.has(who.id)) byId.set(who.id, who);
  }
  return [...byId.values()].sort((a, b) => a.name.localeCompare(b.name));
}

const deviceName = (device: string, own: string | undefined): string =>
  device === own ? 'This device' : `Device ${device.slice(0, DIGITS)}`;

/** Returns when an event was written, or else received, in ms since 1970. */
export const whenWritten = ({ time, received }: Pick<EventStamp, 'time' | 'received'>): number | undefined =>
  time ?? received?.atMs;
