import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import * as z from 'zod/mini';
import { isRequestType, type Payload, REQUESTS } from './requests.ts';

/** Returns the message of the first issue that validation finds in a payload. */
function refusalOf<T extends keyof typeof REQUESTS>(type: T, payload: unknown): string | undefined {
  return REQUESTS[type].payload.safeParse(payload).error?.issues[0]?.message;
}

describe('admin requests', () => {
  test('[W1] keeps the wire shape of every request', () => {
    const shapes = Object.entries(REQUESTS).map(([type, { payload, answer }]) => [
      type,
      z.toJSONSchema(payload, { io: 'input' }),
      z.toJSONSchema(answer, { io: 'input' }),
    ]);
    const print = createHash('sha256').update(JSON.stringify(shapes)).digest('hex').slice(0, 12);
    // A new value here means that older clients or servers may not understand this version.
    expect(print).toMatchInlineSnapshot(`"be6bdee92a3d"`);
  });

  test('[7.2] has each type of the specification, three more of existing clients, and fourteen extensions', () => {
    expect(Object.keys(REQUESTS)).toHaveLength(34);
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

  test('accepts a name of one line of whole characters, and returns it trimmed', () => {
    for (const name of ['a\u0000b', 'two\nlines', 'half \ud800 character', 'x'.repeat(201)])
      expect(refusalOf('reqCreateTenant', { tenant: { name } })).toBeDefined();
    const { data } = REQUESTS.reqCreateTenant.payload.safeParse({ tenant: { name: '  Ünïcode 名 😀 ' } });
    expect(data?.tenant.name).toBe('Ünïcode 名 😀');
  });

  test('[S1] removes invisible characters from a name, and composes it', () => {
    const nameOf = (name: string) =>
      REQUESTS.reqCreateTenant.payload.safeParse({ tenant: { name } }).data?.tenant.name;
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
    const { data } = REQUESTS.reqDeleteTenant.payload.safeParse(hostile);
    expect(Object.keys(data ?? {})).toEqual(['tenantId']);
    for (const tenantId of ['', '../x', 'a/b', 'a b', 'x'.repeat(129), { $ne: null }])
      expect(refusalOf('reqDeleteTenant', { tenantId } as Payload<'reqDeleteTenant'>)).toBeDefined();
  });
});
