import { cleanup, render } from '@testing-library/react';
import { afterEach, describe, expect, test } from 'vitest';
import { typeName, ValueText, valueText } from './value-text.tsx';

afterEach(cleanup);

describe('the text of a value', () => {
  test.each<[unknown, string]>([
    ['Milk', 'Milk'],
    ['', '(empty)'],
    [411000000, '411,000,000'],
    [-0.125, '-0.125'],
    [1e21, '1,000,000,000,000,000,000,000'],
    [true, 'true'],
    [null, 'null'],
    [['a', 1], '["a",1]'],
    [{ lat: 1 }, '{"lat":1}'],
    [Object.fromEntries([['__proto__', 1]]), '{"__proto__":1}'],
    [Uint8Array.of(1, 2), '{"/":{"bytes":"AQI"}}'],
    [undefined, 'undefined'],
  ])('shows %j as %s', (value, text) => {
    expect(valueText(value)).toBe(text);
  });

  test('is cut if it is long', () => {
    expect(valueText('x'.repeat(5000))).toBe(`${'x'.repeat(4000)}…`);
    expect(valueText(['x'.repeat(5000)]).length).toBe(4001);
  });
});

test.each<[unknown, string]>([
  ['1', 'text'],
  [1, 'number'],
  [1n, 'number'],
  [true, 'true or false'],
  [null, 'null'],
  [[], 'list'],
  [{}, 'object'],
  [undefined, 'no field'],
])('names the type of %s', (value, name) => {
  expect(typeName(value)).toBe(name);
});

describe('a value of a merge', () => {
  const draw = (was: unknown, value: unknown) => {
    const { container } = render(<ValueText {...{ was, value }} />);
    const texts = (tag: string) => [...container.querySelectorAll(tag)].map(({ textContent }) => textContent);
    return { text: container.textContent, removed: texts('del'), added: texts('ins'), container };
  };

  test('shows which words of a text changed', () => {
    const { text, removed, added } = draw('one two three', 'one 2 three');
    expect([text, removed, added]).toEqual(['one two2 three', ['two'], ['2']]);
  });

  test('shows a text without marks if no word is left', () => {
    const { text, removed, added } = draw('Milk', 'Rice');
    expect([text, removed, added]).toEqual(['Rice', [], []]);
  });

  test('shows other values without marks', () => {
    expect(draw(1, 2).text).toBe('2');
    cleanup();
    expect(draw('a', ['b']).text).toBe('[\n  "b"\n]');
    cleanup();
    expect(draw(undefined, 'new').text).toBe('new');
  });

  test('tells a removed field from one that never existed', () => {
    expect(draw('a', undefined).text).toBe('Removed');
    cleanup();
    expect(draw(undefined, undefined).text).toBe('(no field)');
  });

  test('shows markup as text, and texts in their own direction', () => {
    const { container } = draw('a b', 'a <img src=x>');
    expect(container.querySelector('img')).toBe(null);
    expect(container.querySelector('[dir=auto]')).not.toBe(null);
  });
});
