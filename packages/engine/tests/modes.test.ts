/** Unencrypted databases, databases in memory, and databases whose stored bytes changed. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { readCar } from '../src/archive/car.ts';
import { dataKey } from '../src/crypto/keys.ts';
import { isSealedWith } from '../src/crypto/seal.ts';
import { openDatabase } from '../src/database/open.ts';
import { fixpoint, type StoredFile } from '../src/entries/node.ts';
import { memoryPlatform } from './memory-platform.fixture.ts';

const CANARY = 'canary-4711-plain-text';
function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'fixpoint-modes-'));
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
  return made;
}
const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'no error',
    (error: { code?: string }) => error.code,
  );
const idsOf = async (db: ReturnType<typeof fixpoint>) => (await db.allDocs()).rows.map(({ key }) => key);

test('stores plain archives in an unencrypted database, and no plain data in an encrypted database', async () => {
  for (const encrypted of [true, false]) {
    const { platform, values, keys } = memoryPlatform();
    const db = openDatabase('db', platform, { encrypted });
    await db.put({ _id: CANARY, [CANARY]: CANARY });
    await db.query(CANARY);
    const all = Buffer.concat([...values.values()]);
    expect([encrypted, all.includes(CANARY)]).toEqual([encrypted, !encrypted]);
    if (encrypted) expect(all.includes('bafyrei')).toBe(false);
    const cars = [...values].filter(([key]) => /^(car|commit)\//.test(key));
    if (!encrypted) for (const [, bytes] of cars) expect(readCar(bytes).blocks.length).toBeGreaterThan(0);
    await db.close();
    const again = openDatabase('db', memoryPlatform(values, keys).platform, { encrypted });
    expect(await again.get(CANARY)).toEqual({ _id: CANARY, [CANARY]: CANARY });
  }
});

test('opens a database only in the mode in which it was created', async () => {
  const directory = folder();
  for (const encrypted of [true, false]) {
    const name = `made-${encrypted}`;
    const db = fixpoint(name, { directory, encrypted });
    await db.put({ _id: 'a' });
    expect(await codeOf(fixpoint(name, { directory, encrypted: !encrypted }).ready())).toBe('MODE_MISMATCH');
    await db.close();
    const log = readFileSync(join(directory, name, 'log'));
    expect(await codeOf(fixpoint(name, { directory, encrypted: !encrypted }).put({ _id: 'b' }))).toBe(
      'MODE_MISMATCH',
    );
    expect(readFileSync(join(directory, name, 'log')).equals(log)).toBe(true);
    const again = fixpoint(name, { directory, encrypted });
    expect(await idsOf(again)).toEqual(['a']);
    await again.close();
  }
});

test.each([0, '', null, Number.NaN, undefined, 'false', true])(
  'encrypts with `encrypted: %j`, because only false turns encryption off',
  async (encrypted) => {
    const { platform, values } = memoryPlatform();
    const db = openDatabase('db', platform, { encrypted: encrypted as never });
    await db.put({ _id: CANARY });
    expect(Buffer.concat([...values.values()]).includes(CANARY)).toBe(false);
    // All values that mean "encrypted" open the same database.
    const other = openDatabase('db', platform, { encrypted: true });
    expect(await other.get(CANARY)).toEqual({ _id: CANARY });
  },
);

test('leaves handles in the right mode open when a handle in the wrong mode is closed', async () => {
  const directory = folder();
  const db = fixpoint('db', { directory });
  await db.put({ _id: 'a' });
  const wrong = fixpoint('db', { directory, encrypted: false });
  expect(await codeOf(wrong.get('a'))).toBe('MODE_MISMATCH');
  await wrong.close();
  await wrong.close();
  expect(await idsOf(db)).toEqual(['a']);
  await db.close();
});

test('opens an unencrypted database without its key bag', async () => {
  const directory = folder();
  const db = fixpoint('db', { directory, encrypted: false });
  await db.put({ _id: 'a' });
  await db.close();
  rmSync(join(directory, '.keys'), { recursive: true, force: true });
  const again = fixpoint('db', { directory, encrypted: false });
  expect(await idsOf(again)).toEqual(['a']);
  await again.close();
});

test('encrypts a database in memory only on request', async () => {
  const directory = folder();
  const db = fixpoint('mode', { directory, storage: 'memory', encrypted: undefined as never });
  await db.put({ _id: 'a' });
  const same = fixpoint('mode', { directory, storage: 'memory' });
  expect(await idsOf(same)).toEqual(['a']);
  const sealed = fixpoint('mode', { directory, storage: 'memory', encrypted: true });
  expect(await codeOf(sealed.ready())).toBe('MODE_MISMATCH');
  await db.destroy();
});

test('writes nothing of a database in memory to the device, and keeps the data until the database is destroyed', async () => {
  const directory = folder();
  const db = fixpoint('db', { directory, storage: 'memory' });
  await db.put({ _id: 'a' });
  await db.close();
  const again = fixpoint('db', { directory, storage: 'memory' });
  expect(await idsOf(again)).toEqual(['a']);
  const other = fixpoint('db', { directory });
  expect(await idsOf(other)).toEqual([]);
  await other.destroy();
  await again.destroy();
  const empty = fixpoint('db', { directory, storage: 'memory' });
  expect(await idsOf(empty)).toEqual([]);
  await empty.destroy();
  expect(readdirSync(directory).filter((name) => name !== '.keys' && name !== 'db')).toEqual([]);
});

test('encrypts all stored data with the new key when rewriting, and deletes unused keys', async () => {
  const { platform, values, keys } = memoryPlatform();
  const db = openDatabase('db', platform);
  for (let round = 0; round < 3; round++) {
    await db.put({ _id: `doc-${round}`, text: CANARY });
    await db.query('text');
    await db.rotateKey({ rewrite: true });
  }
  const [current = new Uint8Array(32), ...others] = keys.get('db') ?? [];
  expect(others.length).toBe(1);
  const cars = [...values].filter(([key]) => /^(car|commit)\//.test(key));
  expect(cars.length).toBeGreaterThan(2);
  for (const [, bytes] of cars) expect(isSealedWith(bytes, dataKey(current))).toBe(true);
  await db.put({ _id: 'last' });
  await db.close();
  keys.set('db', [current]);
  const again = openDatabase('db', memoryPlatform(values, keys).platform);
  expect(await idsOf(again)).toEqual(['doc-0', 'doc-1', 'doc-2', 'last']);
});

test('[R9] loses no write of a tab that missed two rotations', async () => {
  const { platform, values, keys } = memoryPlatform();
  const awake = openDatabase('db', platform);
  await awake.put({ _id: 'first' });
  const asleep = openDatabase('db', memoryPlatform(values, keys).platform);
  await asleep.put({ _id: 'second' });
  for (let times = 0; times < 2; times++) await awake.rotateKey({ rewrite: true });
  expect(keys.get('db')?.length).toBe(2);
  await asleep.put({ _id: 'third', _files: { note: new File([CANARY], 'note') } });
  await asleep.put({ _id: 'fourth' });
  const again = openDatabase('db', memoryPlatform(values, keys).platform);
  expect(await idsOf(again)).toEqual(['first', 'fourth', 'second', 'third']);
  const { _files } = await again.get<{ _files: Record<string, StoredFile> }>('third');
  expect(await (await _files['note']?.file())?.text()).toBe(CANARY);
});

test('[R9] reads newly encrypted data in a tab that missed a rotation', async () => {
  const { platform, values, keys } = memoryPlatform();
  const writing = openDatabase('db', platform);
  await writing.put({ _id: 'long', text: CANARY.repeat(10_000) });
  await writing.put({ _id: 'file', _files: { note: new File([CANARY], 'note') } });
  const asleep = openDatabase('db', memoryPlatform(values, keys).platform);
  await asleep.ready();
  await writing.rotateKey({ rewrite: true });
  // The tab that missed the rotation reads only these rows. Any other row would reveal the new key.
  expect((await asleep.get<{ text: string }>('long')).text).toBe(CANARY.repeat(10_000));
  await writing.rotateKey({ rewrite: true });
  const { _files } = await asleep.get<{ _files: Record<string, StoredFile> }>('file');
  expect(await (await _files['note']?.file())?.text()).toBe(CANARY);
});

test('[R4] returns a typed error or the right result when stored bytes are swapped, older, shorter or zero', async () => {
  const { platform, values, keys } = memoryPlatform();
  const db = openDatabase('db', platform);
  const docs = Array.from({ length: 6 }, (_, n) => ({ _id: `doc-${n}`, n }));
  for (const doc of docs) await db.put(doc);
  await db.close();
  const names = [...values.keys()];
  const answer = async (changed: Map<string, Uint8Array>) => {
    const again = openDatabase('db', memoryPlatform(changed, new Map(keys)).platform);
    const found = await again.allDocs().then(
      ({ rows }) => rows.map(({ value }) => value as unknown),
      (error: { code?: string }) => error.code,
    );
    await again.close().catch(() => undefined);
    return found;
  };
  const right = JSON.stringify(await answer(new Map(values)));
  expect(JSON.parse(right)).toEqual(docs);
  const wrong = new Map<string, unknown>();
  for (const one of names)
    for (const other of names) {
      const bytes = [values.get(other), values.get(other)?.map(() => 0), values.get(other)?.slice(0, -1)];
      for (const [kind, value] of bytes.entries()) {
        if ((kind > 0 && one !== other) || value === undefined) continue;
        const found = await answer(new Map([...values, [one, value]]));
        const isFine = typeof found === 'string' || JSON.stringify(found) === right;
        if (!isFine) wrong.set(`${one} <- ${other} ${kind}`, found);
      }
    }
  expect([...wrong]).toEqual([]);
});
