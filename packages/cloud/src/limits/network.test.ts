import { describe, expect, test } from 'vitest';
import { networksOf, unmapped } from './network.ts';

describe('networksOf', () => {
  test('returns the same network for all addresses of a /64', () => {
    const { own, site } = networksOf('2001:db8:1:2::1');
    expect([own, site]).toEqual(['2001:db8:1:2::/64', '2001:db8:1::/48']);
    for (const same of [
      '2001:DB8:1:2:ffff:ffff:ffff:ffff',
      '2001:0db8:0001:0002:0:0:0:7',
      '2001:db8:1:2::9%eth0',
    ])
      expect(networksOf(same), same).toEqual({ own, site });
    expect(networksOf('2001:db8:1:3::1')).toEqual({ own: '2001:db8:1:3::/64', site });
    expect(networksOf('2001:db8:2:2::1').site).not.toBe(site);
  });

  test('returns the IPv4 address for each of its spellings', () => {
    for (const same of ['192.0.2.7', '::ffff:192.0.2.7', '::FFFF:c000:207', '0:0:0:0:0:ffff:192.0.2.7'])
      expect(networksOf(same), same).toEqual({ own: '192.0.2.7', site: undefined });
    expect(unmapped('::ffff:10.0.0.1')).toBe('10.0.0.1');
    expect(unmapped('::1')).toBe('::1');
  });

  test("returns a text that isn't an address unchanged", () => {
    for (const text of ['unknown', '', 'for="[2001:db8::1]:80"', '1.2.3'])
      expect(networksOf(text)).toEqual({ own: text, site: undefined });
  });
});
