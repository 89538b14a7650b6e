/**
 * Decides which addresses this server may send requests to when a tenant named the URL (S14). A
 * tenant must not reach services that trust every sender in the server's own network.
 */
import { BlockList, isIP } from 'node:net';

/** Ranges that aren't part of the public internet (IANA special-purpose registries). */
const OWN_RANGES: readonly (readonly [string, number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
];

/** The only range of IPv6 that is assigned to the public internet. */
const PUBLIC_V6 = { range: '2000::', bits: 3 };
/** Parts of this range that lead elsewhere: documentation, and tunnels that contain IPv4. */
const ELSEWHERE_V6: readonly (readonly [string, number])[] = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
];

const own = new BlockList();
for (const [range, bits] of OWN_RANGES) own.addSubnet(range, bits, 'ipv4');
const publicV6 = new BlockList();
publicV6.addSubnet(PUBLIC_V6.range, PUBLIC_V6.bits, 'ipv6');
const elsewhereV6 = new BlockList();
for (const [range, bits] of ELSEWHERE_V6) elsewhereV6.addSubnet(range, bits, 'ipv6');

/** Returns whether an IP address is part of the public internet. */
export function isPublicAddress(address: string): boolean {
  const family = isIP(address);
  if (family === 4) return !own.check(address, 'ipv4');
  if (family !== 6) return false;
  // Excludes all other forms: loopback, local networks, and IPv4 addresses written as IPv6.
  return publicV6.check(address, 'ipv6') && !elsewhereV6.check(address, 'ipv6');
}
