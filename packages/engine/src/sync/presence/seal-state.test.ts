import { describe, expect, test } from 'vitest';
import { utf8 } from '../../base/bytes.ts';
import { seededRandom } from '../../testing/seeded-random.ts';
import { clientKey, openState, presenceKey, readSealed, sealState } from './seal-state.ts';
import { stateText } from './state-text.ts';

const random = seededRandom(1);
const [ledger, other] = [utf8('tenant/ledger'), utf8('tenant/other')];
const key = presenceKey(random.bytes(32), random.bytes(16));

const ann = { id: 'ann', user: 'user-a' };

async function sealed(number = 7, text = '{"name":"Ann"}') {
  const made = await sealState(ledger, ann, number, text, key, await clientKey(key, ann.id), random);
  const read = readSealed(made);
  if (read === undefined) throw new Error('not a sealed state');
  return { text: made, read };
}

describe('sealed states', () => {
  test('opens what it sealed', async () => {
    const { read } = await sealed();
    expect(read).toMatchObject({ key: key.name, number: 7 });
    expect(await openState(ledger, ann, read, await clientKey(key, 'ann'))).toEqual({ name: 'Ann' });
  });

  test('keeps large numbers', async () => {
    const { read } = await sealed(2 ** 47 + 5);
    expect(read.number).toBe(2 ** 47 + 5);
    expect(await openState(ledger, ann, read, await clientKey(key, 'ann'))).toEqual({ name: 'Ann' });
  });

  test('rejects a state that is shown as that of another user, client, ledger or number', async () => {
    const { read } = await sealed();
    const annKey = await clientKey(key, 'ann');
    const wrong = [
      openState(ledger, { ...ann, id: 'ben' }, read, await clientKey(key, 'ben')),
      openState(ledger, { ...ann, id: 'ben' }, read, annKey),
      openState(ledger, { ...ann, user: 'user-b' }, read, annKey),
      openState(other, ann, read, annKey),
      openState(ledger, ann, { ...read, number: 8 }, annKey),
    ];
    for (const one of wrong) await expect(one).rejects.toThrow();
  });

  test('rejects a state with any changed byte', async () => {
    const { text } = await sealed();
    const annKey = await clientKey(key, 'ann');
    for (let at = 0; at < text.length; at += 1) {
      const changed = `${text.slice(0, at)}${text[at] === 'A' ? 'Q' : 'A'}${text.slice(at + 1)}`;
      const read = readSealed(changed);
      const isOpened =
        read !== undefined &&
        read.key === key.name &&
        (await openState(ledger, ann, read, annKey).then(
          () => true,
          () => false,
        ));
      // The last character has bits that encode nothing.
      if (at < text.length - 1) expect(isOpened, String(at)).toBe(false);
    }
  });

  test('never seals the same bytes twice', async () => {
    const all = await Promise.all(Array.from({ length: 50 }, () => sealed()));
    expect(new Set(all.map(({ text }) => text)).size).toBe(50);
  });

  test.each([
    '',
    'A',
    '%%%',
    'x'.repeat(3000),
    'AQ',
    Buffer.from([2, ...new Array(60).fill(0)]).toString('base64url'),
  ])('reads no state from %s', (text) => {
    expect(readSealed(text)).toBeUndefined();
  });

  test('rejects content that is no object', async () => {
    for (const text of ['5', 'null', '[1]', '"text"', 'no JSON']) {
      const { read } = await sealed(1, text);
      await expect(openState(ledger, ann, read, await clientKey(key, 'ann')), text).rejects.toThrow();
    }
  });

  test('counts bytes, not characters', () => {
    expect(stateText({ a: 'x'.repeat(1392) })).toHaveLength(1400);
    expect(() => stateText({ a: 'x'.repeat(1393) })).toThrow(/1401 bytes of JSON, of at most 1400/);
    expect(() => stateText({ a: 'ü'.repeat(697) })).toThrow(/limit reached/);
  });

  test('fits into a message at the greatest length', async () => {
    const { text } = await sealed(1, stateText({ a: 'x'.repeat(1392) }));
    expect(text.length).toBeLessThanOrEqual(2048);
  });
});
