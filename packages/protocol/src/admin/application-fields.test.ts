import * as v from 'valibot';
import { expect, test } from 'vitest';
import { issuer, listOf, origin, redirectUrl, refreshToken, secret } from './application-fields.ts';

const SECRET = 'a'.repeat(43);

test.each([
  ['https://app.example', true],
  ['https://app.example:8443', true],
  ['http://localhost:5173', true],
  ['http://127.0.0.1:5173', true],
  ['http://[::1]:5173', true],
  ['http://app.example', false],
  ['http://localhost.evil.example', false],
  ['https://app.example/', false],
  ['https://app.example/path', false],
  ['https://APP.example', false],
  ['https://app.example:443', false],
  ['https://user@app.example', false],
  ['https://*.app.example', false],
  ['ftp://localhost', false],
  ['null', false],
  ['', false],
  [`https://${'a'.repeat(2048)}.example`, false],
])('[S1] takes %j as an origin of an application: %s', (text, isTaken) => {
  expect(v.is(origin, text)).toBe(isTaken);
});

test.each([
  ['https://app.example/signed-in', true],
  ['https://app.example/signed-in?from=fixpoint', true],
  ['http://localhost:5173/', true],
  ['http://app.example/signed-in', false],
  ['https://app.example', false],
  ['https://app.example/#/signed-in', false],
  ['https://app.example/#', false],
  ['https://app.example/a/../b', false],
  ['https://user:secret@app.example/', false],
  ['javascript:alert(1)', false],
  ['//app.example/', false],
])('[S1] takes %j as an address that sign-in leads back to: %s', (text, isTaken) => {
  expect(v.is(redirectUrl, text)).toBe(isTaken);
});

test.each([
  [[], false],
  [['https://a.example'], true],
  [Array.from({ length: 20 }, (_, n) => `https://a${n}.example`), true],
  [Array.from({ length: 21 }, (_, n) => `https://a${n}.example`), false],
  [['https://a.example', 'http://b.example'], false],
  ['https://a.example', false],
])('takes between 1 and 20 origins, all of them safe: case %#', (list, isTaken) => {
  expect(v.is(listOf(origin), list)).toBe(isTaken);
});

test.each([
  [SECRET, true],
  ['a'.repeat(128), true],
  ['a'.repeat(42), false],
  ['a'.repeat(129), false],
  [`${'a'.repeat(43)}=`, false],
  [`${'a'.repeat(43)}\n`, false],
])('[S1] takes %j as a secret: %s', (text, isTaken) => {
  expect(v.is(secret, text)).toBe(isTaken);
});

test.each([
  [`${'s'.repeat(22)}.${SECRET}`, true],
  [`${'s'.repeat(64)}.${'t'.repeat(128)}`, true],
  [`${'s'.repeat(21)}.${SECRET}`, false],
  [`${'s'.repeat(22)}.${'t'.repeat(42)}`, false],
  [`${'s'.repeat(22)}${SECRET}`, false],
  [`${'s'.repeat(22)}.${SECRET}.${SECRET}`, false],
])('[S1] takes %j as a refresh token: %s', (text, isTaken) => {
  expect(v.is(refreshToken, text)).toBe(isTaken);
});

test.each([
  [{}, true],
  [{ issuer: 'urn:any-text' }, true],
  [{ issuer: '' }, false],
  [{ jwksUrl: 'http://id.example/keys.json' }, false],
  [{ jwksUrl: 'http://localhost:8080/keys.json' }, true],
  [{ jwksUrl: 'https://id.example/keys.json#first' }, false],
  [{ audience: '' }, false],
  [{ audience: 'x'.repeat(2049) }, false],
])('takes an issuer with %j: %s', (change, isTaken) => {
  const given = {
    issuer: 'https://id.example/',
    jwksUrl: 'https://id.example/keys.json',
    audience: 'fixpoint',
  };
  expect(v.is(issuer, { ...given, ...change })).toBe(isTaken);
});
