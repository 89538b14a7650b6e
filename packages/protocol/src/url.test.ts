import { expect, test } from 'vitest';
import { long } from '../../engine/tests/budget.fixture.ts';
import { gatewayBase, urlOf } from './url.ts';

test("returns undefined for a text that isn't a URL, even after many calls", long, () => {
  const odd = 'https://note\u00d7\u009e.example';
  let found = 0;
  for (let times = 0; times < 100_000; times += 1)
    if (urlOf(times % 2 === 0 ? odd : `${odd}:${times % 7}`) !== undefined) found += 1;
  expect(found).toBe(0);
  expect(urlOf('https://note.example/x')?.pathname).toBe('/x');
  expect([urlOf(''), urlOf('note.example'), urlOf('//[')]).toEqual([undefined, undefined, undefined]);
});

test('names the gateway of a server below a path, and keeps the address of a server at the root', () => {
  expect(gatewayBase('https://note.example')).toBe('https://note.example');
  expect(gatewayBase('https://note.example/fixpoint')).toBe('https://note.example/fixpoint/fp');
  expect(gatewayBase('https://note.example/fix/point/')).toBe('https://note.example/fix/point/fp');
});

test('resolves a relative URL against its base', () => {
  expect(urlOf('/x', 'https://note.example')?.href).toBe('https://note.example/x');
  expect(urlOf('//[', 'https://note.example')).toBeUndefined();
});
