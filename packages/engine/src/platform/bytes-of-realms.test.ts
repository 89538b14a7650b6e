import { runInNewContext } from 'node:vm';
import { afterEach, expect, test, vi } from 'vitest';
import { acceptBytesOfAllRealms } from './bytes-of-realms.ts';

afterEach(() => void vi.unstubAllGlobals());

test('makes bytes of all realms instances of a global that another realm brought along', () => {
  const here = [new TextEncoder().encode('a'), Buffer.from('a')];
  const others = [new Uint8ClampedArray(1), new DataView(new ArrayBuffer(1)), new ArrayBuffer(1), 'a', null];
  const there = runInNewContext('Uint8Array') as typeof Uint8Array;
  vi.stubGlobal('Uint8Array', there);
  expect(here.filter((one) => one instanceof Uint8Array)).toEqual([]);
  acceptBytesOfAllRealms();
  for (const one of [...here, new there(1)]) expect(one).toBeInstanceOf(Uint8Array);
  for (const one of others) expect(one).not.toBeInstanceOf(Uint8Array);
});

test('changes nothing if the global is that of the realm', () => {
  acceptBytesOfAllRealms();
  expect(Object.hasOwn(Uint8Array, Symbol.hasInstance)).toBe(false);
});
