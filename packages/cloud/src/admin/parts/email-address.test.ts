import { describe, expect, test } from 'vitest';
import { cleanEmail, isEmail, normalEmail } from './email-address.ts';

describe('an address in the form that decides about rights', () => {
  test('[S2] equals an address that differs only in outer spaces or case', () => {
    expect(normalEmail('  Ada@Example.COM\n')).toBe('ada@example.com');
  });

  test('[S2] differs from an address that belongs to another person at some mail hosts', () => {
    const addresses = ['ada.b@example.com', 'adab@example.com', 'ada+b@example.com', 'ada@example.com'];
    expect(new Set(addresses.map(normalEmail)).size).toBe(addresses.length);
  });
});

describe('an address that people search for', () => {
  test.each([
    ['Ada.B+news@Example.com', 'adab@example.com'],
    ['a+b+c@example.com', 'ab@example.com'],
    ['a-d_a@example.com', 'ada@example.com'],
    ['"@"@example.com', '"@"@example.com'],
    ['é@example.com', 'é@example.com'],
  ])('is cleaned: %s becomes %s', (given, expected) => {
    expect(cleanEmail(given)).toBe(expected);
  });

  test('keeps a local part without letters and digits, because an empty local part would find everybody', () => {
    expect(cleanEmail('+++@example.com')).toBe('+++@example.com');
  });

  test.each(['', 'ada', '@example.com', 'ada@', ' @ ', '@'])('has no clean form if it is %j', (text) => {
    expect(cleanEmail(text)).toBeUndefined();
  });
});

describe('texts that look like addresses', () => {
  test.each(['ada@example.com', 'a@b.c', 'ada+b@mail.example.co', 'ä@ö.ü'])('accepts %s', (text) => {
    expect(isEmail(text)).toBe(true);
  });

  test.each([
    'ada',
    'ada@example',
    'ada@@example.com',
    'ada @example.com',
    'ada@example..com',
    'ada@.com',
    'ada@example.',
    'ada@example.com\nBcc: eve@example.com',
    'ada@example.com\u0000',
  ])('[S1] rejects %j', (text) => {
    expect(isEmail(text)).toBe(false);
  });

  test('accepts at most 254 characters', () => {
    const of = (length: number) => `${'a'.repeat(length - 4)}@b.c`;
    expect([isEmail(of(254)), isEmail(of(255))]).toEqual([true, false]);
  });
});
