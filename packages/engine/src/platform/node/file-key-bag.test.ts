import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import type { KeyBag } from '../../ports/key-bag.ts';
import { keyBagSuite } from '../../testing/adapter-suites.ts';
import { fileKeyBag } from './file-key-bag.ts';

const base = mkdtempSync(join(tmpdir(), 'fixpoint-keys-'));
afterAll(() => rmSync(base, { recursive: true, force: true }));

keyBagSuite('files', (place) => fileKeyBag(join(base, place)));

const keys = [new Uint8Array(32).fill(0xab), new Uint8Array(16).fill(0xcd)];
let folders = 0;
function newBag(): { bag: KeyBag; folder: string; file: string } {
  folders += 1;
  const folder = join(base, `bag-${folders}`);
  return { bag: fileKeyBag(folder), folder, file: join(folder, 'db.json') };
}
const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'no error',
    (error: { code?: string }) => error.code,
  );

describe('key bag in files', () => {
  test('is readable only for this user, even if the permissions were too open before', async () => {
    const { bag, folder, file } = newBag();
    await bag.update('db', () => keys);
    chmodSync(file, 0o644);
    chmodSync(folder, 0o755);
    expect(await bag.load('db')).toEqual(keys);
    await bag.update('db', (found) => found);
    expect([statSync(file).mode & 0o777, statSync(folder).mode & 0o777]).toEqual([0o600, 0o700]);
    expect(readdirSync(folder)).toEqual(['db.json']);
  });

  test('[R17] opens a bag that version 1 wrote, and writes version 2 after a change', async () => {
    const { bag, file } = newBag();
    await bag.update('db', () => keys);
    const golden = `{"v":1,"keys":["${'ab'.repeat(32)}","${'cd'.repeat(16)}"]}`;
    writeFileSync(file, golden);
    expect(await bag.load('db')).toEqual(keys);
    expect(readFileSync(file, 'utf8')).toBe(golden);
    await bag.update('db', (found) => found);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ v: 2 });
    expect(await bag.load('db')).toEqual(keys);
  });

  test('stores no plaintext key when there is a passphrase, and opens only with that passphrase', async () => {
    const { bag, folder, file } = newBag();
    await bag.update('db', () => keys, 'corréct');
    const text = readFileSync(file, 'utf8');
    for (const key of keys) expect(text).not.toContain(Buffer.from(key).toString('hex').slice(0, 16));
    expect(JSON.parse(text).wrap).toMatchObject({ kdf: 'scrypt', n: 32_768, r: 8, p: 3 });
    expect(await fileKeyBag(folder).load('db', 'corre\u0301ct')).toEqual(keys);
    for (const wrong of [undefined, '', 'correct', 'corréct '])
      for (const work of [() => bag.load('db', wrong), () => bag.update('db', () => [], wrong)])
        expect(await codeOf(work())).toBe('KEY_BAG_LOCKED');
    expect(readFileSync(file, 'utf8')).toBe(text);
  });

  test('encrypts a plaintext bag when it is opened with a passphrase, which can be changed and removed', async () => {
    const { bag } = newBag();
    await bag.update('db', () => keys);
    expect(await bag.load('db', 'one')).toEqual(keys);
    expect(await codeOf(bag.load('db'))).toBe('KEY_BAG_LOCKED');
    expect(await codeOf(bag.changePassphrase('db', 'other', 'two'))).toBe('KEY_BAG_LOCKED');
    await bag.changePassphrase('db', 'one', 'two');
    expect(await codeOf(bag.load('db', 'one'))).toBe('KEY_BAG_LOCKED');
    expect(await bag.load('db', 'two')).toEqual(keys);
    await bag.changePassphrase('db', 'two', undefined);
    expect(await bag.load('db')).toEqual(keys);
    expect(await codeOf(bag.changePassphrase('none', undefined, 'x'))).toBe('MISSING_KEYBAG');
  });

  test('[R4] reports a changed or shortened file as corrupt and keeps that file unchanged', async () => {
    for (const passphrase of [undefined, 'p']) {
      const { bag, file } = newBag();
      await bag.update('db', () => keys, passphrase);
      const whole = readFileSync(file);
      const damaged = [
        ...Array.from({ length: whole.length }, (_, at) => {
          const bytes = Buffer.from(whole);
          bytes[at] = (bytes[at] ?? 0) ^ 1;
          return bytes;
        }),
        ...Array.from({ length: 20 }, (_, n) => whole.subarray(0, Math.floor((n * whole.length) / 20))),
        Buffer.from('null'),
        Buffer.from('{"v":1}'),
        Buffer.from('{"v":2,"keys":[]}'),
      ];
      for (const bytes of damaged) {
        writeFileSync(file, bytes);
        expect([String(bytes), await codeOf(bag.load('db', passphrase))]).toEqual([
          String(bytes),
          expect.stringMatching(/^(CORRUPT|FORMAT_NEWER)$/),
        ]);
      }
      expect(await codeOf(bag.update('db', () => [], passphrase))).toBe('CORRUPT');
      expect(readFileSync(file, 'utf8')).toBe('{"v":2,"keys":[]}');
    }
  });

  test('[R17] rejects a bag of a newer version and keeps it unchanged', async () => {
    const { bag, file } = newBag();
    await bag.update('db', () => keys);
    writeFileSync(file, '{"v":3,"x":1}');
    expect(await codeOf(bag.update('db', () => []))).toBe('FORMAT_NEWER');
    expect(readFileSync(file, 'utf8')).toBe('{"v":3,"x":1}');
  });

  test('takes over a lock that a dead process left', async () => {
    const { bag, folder } = newBag();
    await bag.update('db', () => keys);
    writeFileSync(join(folder, 'db.json.lock'), '4194999');
    await bag.update('db', (found) => found);
    expect(readdirSync(folder)).toEqual(['db.json']);
  });
});
