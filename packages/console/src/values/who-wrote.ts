import type { EventStamp } from 'fixpoint';

/** Number of digits to show of an id: enough to distinguish the devices of one person. */
const DIGITS = 6;

/** The author of an event, as far as it is known. */
export interface Who {
  /** Distinguishes authors: the id of an account, or else of a device. */
  readonly id: string;
  readonly name: string;
  /** The address of a person, or else their account: anybody can choose any name. */
  readonly identity: string | undefined;
  /** Whether `name` is the name of a person. */
  readonly isPerson: boolean;
  /** The person whose device it was, for the picture; undefined if nobody knows. */
  readonly person: string | undefined;
  /** The device, if `name` doesn't already name it. Undefined for another device of a person. */
  readonly device: string | undefined;
}

/** A person, whose name nobody verified. Only the address or the account identifies them. */
interface Person {
  readonly name: string;
  readonly email: string | undefined;
  /** The account, for the entry of a device. */
  readonly account?: string;
}

/**
 * Maps ids of accounts to people, {@link deviceKey} of devices to the people who use them, and
 * {@link nameKey} of devices to the names that the user gave to them.
 */
export type People = ReadonlyMap<string, Person>;
export const NOBODY: People = new Map();

/** Not the key of a person: ids of accounts contain no spaces. */
const LOADING_KEY = 'names are loading';
/** The people until their names have loaded for the first time. */
export const LOADING_PEOPLE: People = new Map([[LOADING_KEY, { name: '', email: undefined }]]);

const accountText = (account: string): string => `Account ${account.slice(0, DIGITS)}`;

interface Named {
  readonly userId: string;
  readonly name?: string | undefined;
  readonly email?: string | undefined;
}

/**
 * Maps ids of accounts to the members of a tenant, and to others who wrote to its ledgers. If two
 * people have the same name, those without an address also get the first digits of their account.
 */
export function peopleOf(members: readonly Named[], writers: readonly Named[]): People {
  const byId = new Map([...writers, ...members].map((one) => [one.userId, one]));
  const counts = new Map<string, number>();
  const shown = ({ name, email, userId }: Named) => name ?? email ?? userId;
  for (const one of byId.values()) {
    const key = shown(one).toLowerCase();
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return new Map(
    [...byId].map(([id, one]) => {
      const name = shown(one);
      const isClear = one.email !== undefined || counts.get(name.toLowerCase()) === 1;
      return [id, { name: isClear ? name : `${name} (${id.slice(0, DIGITS)})`, email: one.email }];
    }),
  );
}

/** Returns whether the names are loading. Ids of accounts say nothing until then. */
export const areLoading = (people: People): boolean => people.has(LOADING_KEY);

type AuthoredStamp = Pick<EventStamp, 'device' | 'received' | 'author'>;

/** Ids of accounts contain no spaces. */
const deviceKey = (device: string): string => `device ${device}`;
const nameKey = (device: string): string => `name of ${device}`;

/** Returns whether the user gave a name to a device. */
export const isNamed = (device: string, people: People): boolean => people.has(nameKey(device));

/** Adds the names that the user gave to devices, by the ids of the devices in events. */
export function withDeviceNames(people: People, names: ReadonlyMap<string, string>): People {
  if (names.size === 0) return people;
  const all = new Map(people);
  for (const [device, name] of names) all.set(nameKey(device), { name, email: undefined });
  return all;
}

/**
 * Returns the people, and the owners of those devices from which the gateway received one of these
 * events. So other events of the same device have an author before they are sent.
 */
export function withDevices(people: People, stamps: readonly AuthoredStamp[]): People {
  const all = new Map(people);
  for (const { device, received } of stamps) {
    const account = received?.account;
    const person = account === undefined ? undefined : people.get(account);
    if (device !== undefined && account !== undefined && person !== undefined)
      all.set(deviceKey(device), { ...person, account });
  }
  return all.size === people.size ? people : all;
}

/**
 * Returns the author of an event: the account from which the gateway received it, or else the owner
 * or the id of the device that it contains.
 * @param own the id of this device
 */
export function whoWrote(
  { device, received, author }: AuthoredStamp,
  own: string | undefined,
  people: People,
): Who {
  const account = received?.account;
  if (account !== undefined) {
    const person = people.get(account);
    const isShown =
      device !== undefined && (person === undefined || device === own || isNamed(device, people));
    return {
      id: account,
      name: person?.name ?? (areLoading(people) ? 'Somebody' : accountText(account)),
      identity: person && (person.email ?? accountText(account)),
      isPerson: person !== undefined,
      person: person?.name,
      device: isShown ? deviceText(device, own, people) : undefined,
    };
  }
  const owner = device === undefined ? undefined : people.get(deviceKey(device));
  const signer = author?.status === 'verified' ? author.name : undefined;
  const name = owner?.name ?? signer;
  return {
    id: owner?.account ?? device ?? '',
    name:
      device === undefined
        ? 'Unknown author'
        : device === own || name === undefined || isNamed(device, people)
          ? deviceName(device, own, people)
          : `A device of ${name}`,
    identity: owner?.email ?? (owner?.account && accountText(owner.account)),
    isPerson: false,
    person: name,
    device: undefined,
  };
}

/** Returns the authors of events, each of them once, sorted by name. */
export function authorsOf(
  stamps: readonly AuthoredStamp[],
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

const deviceName = (device: string, own: string | undefined, people: People): string =>
  people.get(nameKey(device))?.name ?? (device === own ? 'This device' : `Device ${device.slice(0, DIGITS)}`);

/** Returns how a sentence names a device: by the name that the user gave to it, if there is one. */
export function deviceText(device: string, own: string | undefined, people: People): string {
  const name = deviceName(device, own, people);
  return isNamed(device, people) ? name : name.toLowerCase();
}

/** Returns when an event was written, or else received, in ms since 1970. */
export const whenWritten = ({ time, received }: Pick<EventStamp, 'time' | 'received'>): number | undefined =>
  time ?? received?.atMs;

/** Clocks that differ less from the gateway's count as right. */
const CLOCK_MS = 5 * 60_000;

/**
 * Returns by how many ms the clock of the device was ahead of the gateway's; undefined if it
 * wasn't. A clock that is behind looks like an event that was sent later.
 */
export function clockAhead({ time, received }: Pick<EventStamp, 'time' | 'received'>): number | undefined {
  if (time === undefined || received === undefined) return undefined;
  const ahead = time - received.atMs;
  return ahead > CLOCK_MS ? ahead : undefined;
}
