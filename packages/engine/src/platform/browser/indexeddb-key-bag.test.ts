import 'fake-indexeddb/auto';
import { IDBFactory } from 'fake-indexeddb';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { keyBagSuite } from '../../testing/adapter-suites.ts';
import { indexedDbKeyBag } from './indexeddb-key-bag.ts';
import { openIndexedDbStore } from './indexeddb-store.ts';

beforeEach(() => {
  vi.stubGlobal('indexedDB', new IDBFactory());
});
keyBagSuite('IndexedDB', () => indexedDbKeyBag());

const keys = [new Uint8Array(32).fill(0xab), new Uint8Array(16).fill(0xcd)];

function request<T>(asked: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    asked.onsuccess = () => resolve(asked.result);
    asked.onerror = () => reject(asked.error);
  });
}

async function withStore<T>(name: string, work: (store: IDBObjectStore) => IDBRequest<T>): Promise<T> {
  const database = await request(indexedDB.open('fixpoint-keybag'));
  const result = await request(work(database.transaction(name, 'readwrite').objectStore(name)));
  database.close();
  return result;
}
const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'no error',
    (error: { code?: string }) => error.code,
  );

describe('key bag of a browser', () => {
  test('stores keys sealed with a device key that scripts cannot read', async () => {
    await indexedDbKeyBag().update('db', () => keys);
    const device = (await withStore('device', (store) => store.get('wrap'))) as CryptoKey;
    expect([device.type, device.extractable]).toEqual(['secret', false]);
    const entry = (await withStore('wrapped', (store) => store.get('db'))) as Uint8Array;
    expect(Buffer.from(entry).includes(Buffer.from(keys[0] ?? []).subarray(0, 8))).toBe(false);
  });

  test('[R17] opens keys that version 1 stored in plaintext, and replaces them with sealed keys', async () => {
    const old = await openIndexedDbStore('fixpoint-keybag', 'strict');
    const list = Uint8Array.from(keys.flatMap((key) => [key.length, ...key]));
    await old.write([{ key: 'db', bytes: list }]);
    await old.close();
    expect(await indexedDbKeyBag().load('db')).toEqual(keys);
    expect(await withStore('values', (store) => store.count())).toBe(0);
    expect(await indexedDbKeyBag().load('db')).toEqual(keys);
  });

  test('reports a missing device key, and creates no new device key while keys are sealed with the old one', async () => {
    await indexedDbKeyBag().update('db', () => keys);
    await withStore('device', (store) => store.clear());
    for (const name of ['db', 'another'])
      await expect(indexedDbKeyBag().update(name, () => keys)).rejects.toThrow(
        'did not found a extractable key: the key of this device is gone',
      );
  });

  test('[R4] reports a changed entry, or the entry of another database, as corrupt and keeps it unchanged', async () => {
    await indexedDbKeyBag().update('db', () => keys);
    const entry = (await withStore('wrapped', (store) => store.get('db'))) as Uint8Array;
    await withStore('wrapped', (store) => store.put(entry, 'another'));
    expect(await codeOf(indexedDbKeyBag().load('another'))).toBe('CORRUPT');
    for (let at = 0; at < entry.length; at++) {
      const changed = entry.slice();
      changed[at] = (changed[at] ?? 0) ^ 2;
      await withStore('wrapped', (store) => store.put(changed, 'db'));
      expect(await codeOf(indexedDbKeyBag().update('db', () => []))).toMatch(/^(CORRUPT|FORMAT_NEWER)$/);
    }
    for (const value of [new Uint8Array(), entry.slice(0, 20), 'text']) {
      await withStore('wrapped', (store) => store.put(value, 'db'));
      expect(await codeOf(indexedDbKeyBag().load('db'))).toBe('CORRUPT');
    }
  });

  test('[R17] rejects a bag of a newer version', async () => {
    (await request(indexedDB.open('fixpoint-keybag', 3))).close();
    expect(await codeOf(indexedDbKeyBag().load('db'))).toBe('FORMAT_NEWER');
  });
});
