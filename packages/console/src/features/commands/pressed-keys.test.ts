import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { ROW_SHORTCUTS, SHORTCUT_GROUPS } from '../../ui/shortcut-groups.ts';
import { keyNames } from '../../ui/shortcut-table.ts';
import { rowAfterKey } from '../grid/use-row-focus.ts';
import { isSingleKey, keyReader, type Pressed, strokeOf, textAfter } from './pressed-keys.ts';

const pressed = (key: string, more: Partial<Pressed> = {}): Pressed => ({
  key,
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  shiftKey: false,
  timeStamp: 0,
  ...more,
});

describe('reading keys', () => {
  test('maps Mod to Ctrl, or to Cmd on a Mac, and ignores the other one', () => {
    expect(strokeOf(pressed('k', { ctrlKey: true }), false)).toBe('Mod-k');
    expect(strokeOf(pressed('K', { ctrlKey: true }), false)).toBe('Mod-k');
    expect(strokeOf(pressed('k', { metaKey: true }), true)).toBe('Mod-k');
    expect(strokeOf(pressed('k', { ctrlKey: true }), true)).toBeUndefined();
    expect(strokeOf(pressed('k', { metaKey: true }), false)).toBeUndefined();
    expect(strokeOf(pressed('k', { altKey: true }), false)).toBeUndefined();
    expect(strokeOf(pressed('?', { shiftKey: true }), false)).toBe('?');
  });

  test('reads two keys as one shortcut when the second key follows soon', () => {
    const read = keyReader(false);
    expect(read(pressed('g'))).toBeUndefined();
    expect(read(pressed('c', { timeStamp: 900 }))).toBe('goCloud');
    expect(read(pressed('c', { timeStamp: 1000 }))).toBeUndefined();
    expect(read(pressed('g', { timeStamp: 2000 }))).toBeUndefined();
    expect(read(pressed('c', { timeStamp: 4000 }))).toBeUndefined();
  });

  test('reads a key that completes no pair as a single key, which can begin another pair', () => {
    const read = keyReader(false);
    read(pressed('g'));
    expect(read(pressed('n', { timeStamp: 1 }))).toBe('newDocument');
    read(pressed('g', { timeStamp: 2 }));
    read(pressed('g', { timeStamp: 3 }));
    expect(read(pressed('q', { timeStamp: 4 }))).toBe('goQuery');
  });

  test('distinguishes keys with a modifier', () => {
    const read = keyReader(false);
    expect(read(pressed('n', { ctrlKey: true }))).toBeUndefined();
    expect(read(pressed('k', { ctrlKey: true }))).toBe('palette');
    expect([isSingleKey('Mod-k'), isSingleKey('g c'), isSingleKey('?')]).toEqual([false, true, true]);
  });

  test('formats keys as printed on the keyboard', () => {
    expect(keyNames('Mod-k', false)).toEqual([['Ctrl', 'K']]);
    expect(keyNames('Mod-k', true)).toEqual([['⌘', 'K']]);
    expect(keyNames('g c', false)).toEqual([['G'], ['C']]);
    expect(keyNames(' ', false)).toEqual([['Space']]);
  });
});

describe('the table of shortcuts', () => {
  test('has no two shortcuts with the same keys in one place', () => {
    for (const { shortcuts } of SHORTCUT_GROUPS) {
      const all = shortcuts.flatMap(({ keys }) => keys);
      expect(new Set(all).size).toBe(all.length);
    }
  });

  test('is complete in the guide of the console', () => {
    const guide = readFileSync(new URL('../../../../../docs/guide/console.md', import.meta.url), 'utf8');
    const rows = [...guide.matchAll(/^\| ([^|]+?) +\| ([^|]+?) +\|$/gm)].map(
      ([, keys, text]) => `${keys}: ${text}`,
    );
    const told = SHORTCUT_GROUPS.flatMap(({ shortcuts }) => shortcuts).map(({ keys, text }) => {
      const names = keys.map((each) =>
        keyNames(each, false)
          .map((stroke) => stroke.join('+'))
          .join(' then '),
      );
      return `${names.join(', ')}: ${text}`;
    });
    expect(told.filter((row) => !rows.includes(row))).toEqual([]);
  });

  test('lists the same row keys that rows handle', () => {
    const told = [...ROW_SHORTCUTS.move.keys, ...ROW_SHORTCUTS.ends.keys];
    expect(told.filter((key) => rowAfterKey(key, 3, 9, 2) === undefined)).toEqual([]);
  });
});

test('collects text typed before a field exists, and ignores other keys', () => {
  const keys = [
    pressed('a'),
    pressed('ö'),
    pressed('b'),
    pressed('Backspace'),
    pressed(' '),
    pressed('Shift'),
    pressed('c', { ctrlKey: true }),
    pressed('C', { shiftKey: true }),
  ];
  expect(keys.reduce(textAfter, '')).toBe('aö C');
});
