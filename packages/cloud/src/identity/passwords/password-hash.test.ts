import { randomBytes, scryptSync } from 'node:crypto';
import { hashPassword } from 'better-auth/crypto';
import { expect, test } from 'vitest';
import { scryptPasswords } from './password-hash.ts';

const PASSWORD = 'nur kleine buchstaben, 密码';
const { hash, verify } = scryptPasswords;

test('stores the scrypt hash of a password (16 MB, five passes) with a salt and the cost', async () => {
  const [one, other] = [await hash(PASSWORD), await hash(PASSWORD)];
  expect(one).not.toBe(other);
  const [name, N, r, p, salt = '', key] = one.split(':');
  expect([name, N, r, p]).toEqual(['scrypt', '16384', '8', '5']);
  expect(salt).toMatch(/^[0-9a-f]{32}$/);
  expect(scryptSync(PASSWORD, salt, 64, { N: 16_384, r: 8, p: 5 }).toString('hex')).toBe(key);
  expect(await verify({ hash: one, password: PASSWORD })).toBe(true);
  for (const wrong of ['', PASSWORD.slice(1), PASSWORD.toUpperCase(), `${PASSWORD} `])
    expect(await verify({ hash: one, password: wrong }), wrong).toBe(false);
});

test('verifies hashes that have another cost than new hashes', async () => {
  const before = await hashPassword(PASSWORD);
  expect(before.split(':')).toHaveLength(2);
  const salt = randomBytes(16).toString('hex');
  const cost = { N: 32_768, r: 8, p: 1, maxmem: 64 * 1024 * 1024 };
  const dearer = ['scrypt', 32_768, 8, 1, salt, scryptSync(PASSWORD, salt, 64, cost).toString('hex')].join(
    ':',
  );
  for (const known of [before, dearer]) {
    expect(await verify({ hash: known, password: PASSWORD })).toBe(true);
    expect(await verify({ hash: known, password: 'another one' })).toBe(false);
  }
});

test('rejects a malformed hash', async () => {
  const whole = await hash(PASSWORD);
  for (const damaged of ['', ':', 'scrypt', whole.slice(0, -2), whole.replace('16384', '0'), `x${whole}`])
    expect(await verify({ hash: damaged, password: PASSWORD }), damaged).toBe(false);
});
