/**
 * Detects passwords that attackers try first: leaked passwords, words about this product or the
 * person, frequent words, and rows of keys. Words also count when digits and signs surround them.
 */
import { FixpointError } from '@fixpoint/protocol';
import { isFrequent } from './frequent-passwords.ts';

const PRODUCT = [
  'fixpoint',
  'fireproof',
  'database',
  'ledger',
  'tenant',
  'console',
  'admin',
  'administrator',
];
const FREQUENT = [
  'password passwort passw motdepasse contrasena senha qwerty qwertyuiop qwertz qwertzuiop azerty azertyuiop asdfgh asdfghjkl',
  'zxcvbnm qazwsx qazwsxedc iloveyou sunshine princess football baseball basketball superman batman starwars pokemon dragon',
  'monkey shadow master michael jennifer jordan hunter buster soccer hockey killer george charlie andrew michelle jessica',
  'ashley daniel thomas robert matthew access secret letmein welcome trustno whatever freedom computer internet samsung',
  'liverpool chelsea arsenal barcelona juventus mustang corvette ferrari mercedes yamaha cheese cookie chocolate flower',
  'summer winter spring autumn january february march april august september october november december monday friday',
  'changeme default guest test testing testtest user username login hello helloworld abc abcd abcdef abcdefgh abcabc aaaaaaaa',
]
  .join(' ')
  .split(' ');
const ROWS = [
  '01234567890123456789',
  '98765432109876543210',
  'abcdefghijklmnopqrstuvwxyz',
  'qwertyuiopasdfghjklzxcvbnm',
];

/**
 * Rejects a password that is easy to guess.
 * @throws FixpointError REQUEST_INVALID
 */
export function refuseEasy(password: string, ownWords: readonly string[]): void {
  const plain = password.toLowerCase();
  const letters = plain.replace(/[^\p{L}]/gu, '');
  const words = [
    ...PRODUCT,
    ...FREQUENT,
    ...ownWords.map((word) => word.toLowerCase().replace(/[^\p{L}]/gu, '')),
  ];
  const isWord =
    letters !== '' && words.some((word) => word === letters || (word !== '' && word.repeat(2) === letters));
  const isRow = ROWS.some((row) => row.includes(plain)) || new Set(plain).size <= 2;
  // A word with more than six other characters around it is no longer easy to guess.
  if (isFrequent(password) || isRow || (isWord && plain.length - letters.length <= 6))
    throw new FixpointError('REQUEST_INVALID', 'this password is too easy to guess');
}
