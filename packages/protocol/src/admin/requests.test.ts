import { createHash } from 'node:crypto';
import * as v from 'valibot';
import { describe, expect, test } from 'vitest';

import { isRequestType, type Payload, REQUESTS, type RequestType } from './requests.ts';

/** Returns the message of the first issue that validation finds in a payload. */
function refusalOf<T extends keyof typeof REQUESTS>(type: T, payload: unknown): string | undefined {
  return v.safeParse(REQUESTS[type].payload, payload).issues?.[0].message;
}

describe('admin requests', () => {
  test('[W1] keeps the wire shape of every request', () => {
    const shapes = Object.keys(REQUESTS)
      .toSorted()
      .map((type) => [type, REQUESTS[type as RequestType]] as const)
      .map(([type, { payload, answer }]) => [type, payload, answer]);
    const onWire = (key: string, value: unknown) => {
      if (key.startsWith('~') || key === 'message') return undefined;
      return value instanceof RegExp ? String(value) : value;
    };
    const print = createHash('sha256').update(JSON.stringify(shapes, onWire)).digest('hex').slice(0, 12);
    // A new value here means that older clients or servers may not understand this version.
    expect(print).toMatchInlineSnapshot(`"b53648a4e544"`);
  });

  test('[7.2] has each type of the specification, three more of existing clients, and 47 extensions', () => {
    expect(Object.keys(REQUESTS)).toHaveLength(67);
    expect(isRequestType('reqCreateTenant')).toBe(true);
    for (const other of ['reqNothing', '__proto__', 'toString', '', 7, null, undefined, {}])
      expect(isRequestType(other)).toBe(false);
  });

  test('[5.1] requires the name of a tenant', () => {
    for (const name of [undefined, null, 7, '', '   ', '\t'])
      expect(refusalOf('reqCreateTenant', { tenant: { name } })).toBe('Name is required');
    expect(refusalOf('reqCreateTenant', { tenant: { name: 'A' } })).toBeUndefined();
  });

  test('[5.2] requires at least 3 characters in the name of a ledger', () => {
    const withName = (name: unknown) => refusalOf('reqCreateLedger', { ledger: { tenantId: 'z1', name } });
    expect(withName('')).toBe('Name is required');
    expect(withName(undefined)).toBe('Name is required');
    expect(withName('ab')).toBe('Name must be at least 3 characters');
    expect(withName(' ab ')).toBe('Name must be at least 3 characters');
    expect(withName('abc')).toBeUndefined();
  });

  test('accepts only a name of one line without broken characters, and trims the name', () => {
    for (const name of ['a\u0000b', 'two\nlines', 'half \ud800 character', 'x'.repeat(201)])
      expect(refusalOf('reqCreateTenant', { tenant: { name } })).toBeDefined();
    const { output } = v.safeParse(REQUESTS.reqCreateTenant.payload, {
      tenant: { name: '  Ünïcode 名 😀 ' },
    });
    expect((output as Payload<'reqCreateTenant'>).tenant.name).toBe('Ünïcode 名 😀');
  });

  test('[S1] removes invisible characters from a name, and composes its characters', () => {
    const nameOf = (name: string) =>
      v.parse(REQUESTS.reqCreateTenant.payload, { tenant: { name } }).tenant.name;
    for (const unseen of [
      '\u200b',
      '\u200b\u2060',
      '\u202e',
      '\ufeff',
      '\u2066\u2069',
      '\u200d',
      '\u3164',
      '\u00ad',
    ])
      expect(refusalOf('reqCreateTenant', { tenant: { name: unseen } })).toBe('Name is required');
    expect(nameOf('ad\u200bmin\u202e \u2067x')).toBe('admin x');
    expect(nameOf('Cafe\u0301')).toBe('Caf\u00e9');
    const family = '\u{1f469}\u200d\u{1f469}\u200d\u{1f467}';
    expect(nameOf(`${family} \u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645`)).toBe(
      `${family} \u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645`,
    );
  });

  test('[S10] drops keys with a meaning in JavaScript, and accepts only plain ids', () => {
    const hostile = JSON.parse('{"tenantId":"z1","__proto__":{"admin":true},"constructor":1}') as unknown;
    const clean = v.parse(REQUESTS.reqDeleteTenant.payload, hostile);
    expect(Object.keys(clean)).toEqual(['tenantId']);
    for (const tenantId of ['', '../x', 'a/b', 'a b', 'x'.repeat(129), { $ne: null }])
      expect(refusalOf('reqDeleteTenant', { tenantId } as Payload<'reqDeleteTenant'>)).toBeDefined();
  });
});
