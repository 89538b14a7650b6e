import { isIPv4, isIPv6 } from 'node:net';

/** Limit of a site, as a multiple of the limit of one network. */
export const SITE_FACTOR = 8;

/** The networks of an address, by which attempts are counted. */
export interface Networks {
  /**
   * The IPv4 address, or the /64 of an IPv6 address: the range that one internet connection gets.
   */
  readonly own: string;
  /** The /48 of an IPv6 address, which one customer can own; undefined for IPv4. */
  readonly site: string | undefined;
}

/**
 * Returns an address in comparable form: turns an IPv4 address that was written as IPv6 back into
 * IPv4.
 */
export function unmapped(address: string): string {
  const groups = groupsOf(address);
  if (groups === undefined) return address;
  const [high = 0, low = 0] = groups.slice(6);
  const isMapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff;
  return isMapped ? [high >> 8, high & 255, low >> 8, low & 255].join('.') : address;
}

/**
 * Returns the networks of an address. One customer has 2^64 IPv6 addresses, so limits count by
 * network, never by a single IPv6 address.
 */
export function networksOf(address: string): Networks {
  const plain = unmapped(address);
  const groups = groupsOf(plain);
  if (groups === undefined) return { own: plain, site: undefined };
  const first = (count: number) =>
    groups
      .slice(0, count)
      .map((group) => group.toString(16))
      .join(':');
  return { own: `${first(4)}::/64`, site: `${first(3)}::/48` };
}

/** Returns the eight groups of an IPv6 address, or undefined for anything else. */
function groupsOf(address: string): number[] | undefined {
  const plain = address.replace(/%.*$/, '');
  if (isIPv4(plain) || !isIPv6(plain)) return undefined;
  const dotted = /^(.*:)(\d+)\.(\d+)\.(\d+)\.(\d+)$/.exec(plain);
  const text =
    dotted === null ? plain : `${dotted[1]}${ofBytes(dotted[2], dotted[3])}:${ofBytes(dotted[4], dotted[5])}`;
  const [head = '', tail] = text.split('::');
  const read = (part: string) =>
    part === '' ? [] : part.split(':').map((group) => Number.parseInt(group, 16));
  const [before, after] = [read(head), read(tail ?? '')];
  return [...before, ...Array.from({ length: 8 - before.length - after.length }, () => 0), ...after];
}

const ofBytes = (high = '0', low = '0'): string => ((Number(high) << 8) | Number(low)).toString(16);
