import { expect, test } from 'vitest';
import { refuseEasy } from './easy-passwords.ts';

const own = ['ada.lovelace', 'Ada Lovelace'];

test.each([
  'password',
  'Password1!',
  'passwordpassword',
  '12345678',
  '87654321',
  '11111111',
  'abababab',
  'qwertyuiop',
  'Fixpoint2026',
  'fixpoint!!',
  'adalovelace',
  'Ada-Lovelace-1',
  'iloveyou99',
  'q1w2e3r4t5',
  'maverick',
  'STEELERS',
  '1qaz2wsx',
])('rejects %s as too easy', (password) =>
  expect(() => refuseEasy(password, own)).toThrow('request is not valid: this password is too easy to guess'),
);

test.each([
  'correct horse',
  'a long password',
  'tr0ub4dor&3',
  'fixpoint is my favourite',
  '密码很长很长很长',
  'x9$kLm2q',
  '   spaces   and more',
])('accepts %s', (password) => expect(() => refuseEasy(password, own)).not.toThrow());
