import { describe, expect, test } from 'vitest';
import { type BackupSecret, keysOf, newSalt, openPart, sealOf, sealPart } from './backup-keys.ts';

const KEY: BackupSecret = { kind: 'key', bytes: Buffer.alloc(32, 1) };
const TEXT = Buffer.from('the rows of a table');

describe('the parts of an encrypted backup', () => {
  test('opens a part only as the part that it is, in the backup that it is of', async () => {
    const keys = await keysOf(KEY, newSalt());
    const sealed = sealPart(keys, 'backup', 1, TEXT);
    expect(openPart(keys, 'backup', 1, sealed)).toEqual(TEXT);
    expect(openPart(keys, 'backup', 2, sealed)).toBeUndefined();
    expect(openPart(keys, 'other', 1, sealed)).toBeUndefined();
    expect(openPart(await keysOf(KEY, newSalt()), 'backup', 1, sealed)).toBeUndefined();
    const wrong: BackupSecret = { kind: 'key', bytes: Buffer.alloc(32, 2) };
    expect(openPart(await keysOf(wrong, newSalt()), 'backup', 1, sealed)).toBeUndefined();
  });

  test('reports each changed and each missing byte', async () => {
    const keys = await keysOf(KEY, newSalt());
    const sealed = sealPart(keys, 'backup', 1, TEXT);
    for (let at = 0; at < sealed.length; at += 1) {
      const changed = Buffer.from(sealed);
      changed[at] = (changed[at] ?? 0) ^ 1;
      expect(openPart(keys, 'backup', 1, changed), `changed ${at}`).toBeUndefined();
      expect(openPart(keys, 'backup', 1, sealed.subarray(0, at)), `cut at ${at}`).toBeUndefined();
    }
  });

  test('encrypts equal parts differently, without their text', async () => {
    const keys = await keysOf(KEY, newSalt());
    const [one, two] = [sealPart(keys, 'backup', 1, TEXT), sealPart(keys, 'backup', 2, TEXT)];
    expect(one.includes('rows')).toBe(false);
    expect(one.subarray(0, TEXT.length).equals(two.subarray(0, TEXT.length))).toBe(false);
  });
});

describe('the keys of a backup', () => {
  test('derives other keys for each use and each backup', async () => {
    const [salt, other] = [newSalt(), newSalt()];
    const [one, two] = [await keysOf(KEY, salt), await keysOf(KEY, other)];
    const texts = [one, two].flatMap(({ parts, seal, check }) => [
      parts.toString('hex'),
      seal.toString('hex'),
      check,
    ]);
    expect(new Set(texts).size).toBe(6);
    expect(await keysOf(KEY, salt)).toEqual(one);
  });

  test('accepts a passphrase in each form of its letters', async () => {
    const salt = newSalt();
    const keysFor = (text: string) => keysOf({ kind: 'passphrase', text }, salt);
    const composed = await keysFor('caf\u00e9 caf\u00e9');
    expect(await keysFor('cafe\u0301 cafe\u0301')).toEqual(composed);
    expect((await keysFor('cafe cafe')).check).not.toBe(composed.check);
  });

  test('seals a manifest so that only the key can repeat it', async () => {
    const keys = await keysOf(KEY, newSalt());
    const others = await keysOf(KEY, newSalt());
    expect(sealOf('manifest', keys)).toBe(sealOf('manifest', keys));
    const seals = [sealOf('manifest', keys), sealOf('manifest', others), sealOf('manifest', undefined)];
    expect(new Set([...seals, sealOf('manifest2', keys)]).size).toBe(4);
  });
});
