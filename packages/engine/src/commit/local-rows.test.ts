import { describe, expect, test } from 'vitest';
import { utf8 } from '../base/bytes.ts';
import { code, copyOf, full, watchedStore } from './head.fixture.ts';
import { createLocalRows } from './local-rows.ts';

function localRows() {
  const watched = watchedStore(new Map([['head', utf8('head')]]));
  return { ...watched, local: createLocalRows(watched.store) };
}
const [one, two] = [utf8('one'), utf8('two')];

describe('rows of this device', () => {
  test('reads what was written, and nothing for another name', async () => {
    const { local } = localRows();
    expect(await local.write([{ name: 'index/a', bytes: one }])).toBe(true);
    expect(await local.read('index/a')).toEqual(one);
    expect(await local.read('index')).toBeUndefined();
  });

  test('never changes rows of the database, whatever the name of the local row', async () => {
    const { local, values } = localRows();
    for (const name of ['head', '../head', '']) await local.write([{ name, bytes: one }]);
    expect(values.get('head')).toEqual(utf8('head'));
    await local.write(['head', '../head', ''].map((name) => ({ name, bytes: undefined })));
    expect([...values.keys()]).toEqual(['head']);
  });

  test('lists the names of local rows under a prefix, and no other names', async () => {
    const { local, values } = localRows();
    values.set('localx/index/a', one);
    await local.write(['index/b', 'index/a', 'indexes', 'other'].map((name) => ({ name, bytes: one })));
    expect(await local.names('index/')).toEqual(['index/a', 'index/b']);
    expect(await local.names('')).toEqual(['index/a', 'index/b', 'indexes', 'other']);
    expect(await local.names('none')).toEqual([]);
  });

  test('writes nothing when the stored row differs from the guard', async () => {
    const { local, values } = localRows();
    await local.write([{ name: 'version', bytes: one }]);
    const before = copyOf(values);
    const changes = [
      { name: 'version', bytes: two },
      { name: 'data', bytes: two },
    ];
    expect(await local.write(changes, { name: 'version', bytes: two })).toBe(false);
    expect(await local.write(changes, { name: 'version', bytes: undefined })).toBe(false);
    expect(values).toEqual(before);
    expect(await local.write(changes, { name: 'version', bytes: one })).toBe(true);
    expect(await local.read('data')).toEqual(two);
  });

  test('creates a row only if nobody else has created it', async () => {
    const { local } = localRows();
    const first = () => local.write([{ name: 'a', bytes: one }], { name: 'a', bytes: undefined });
    expect([await first(), await first()]).toEqual([true, false]);
  });

  test('[R3] writes all changes of a step or none', async () => {
    const { local, values, failOnce } = localRows();
    await local.write([{ name: 'a', bytes: one }]);
    const before = copyOf(values);
    failOnce('write', full);
    const both = [
      { name: 'a', bytes: undefined },
      { name: 'b', bytes: two },
    ];
    await expect(local.write(both)).rejects.toThrow(code('STORE_FULL'));
    expect(values).toEqual(before);
    await local.write(both);
    expect([await local.read('a'), await local.read('b')]).toEqual([undefined, two]);
  });
});
