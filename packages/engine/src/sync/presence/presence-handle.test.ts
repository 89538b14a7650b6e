/** The objects that `enter` returns, and the texts of their states. */
import { describe, expect, test } from 'vitest';
import { type HandleState, presenceHandle } from './presence-handle.ts';
import { stateText } from './state-text.ts';

type Shared = { -readonly [K in keyof HandleState]: HandleState[K] };

/** A place in a ledger that several objects share. */
function place() {
  const ann = { id: 'a/ann', user: 'ann', state: { n: 1 } };
  const calls: unknown[] = [];
  const state: Shared = {
    handles: new Set(),
    listeners: new Set(),
    others: { all: () => new Map([[ann.id, ann]]) },
    ...{ me: undefined, text: undefined, status: { state: 'present' } },
  };
  const tell = () => {
    for (const listener of [...state.listeners]) listener();
  };
  const enter = () =>
    presenceHandle<{ n?: unknown }>(state, {
      set: (me, text) => {
        calls.push(text);
        Object.assign(state, { me, text });
        tell();
      },
      end: () => void calls.push('end'),
    });
  return { state, calls, tell, enter, ann };
}

describe('a handle of presence', () => {
  test('shows the shared place until it leaves', async () => {
    const { enter, ann, state, calls } = place();
    const [one, other] = [enter(), enter()];
    one.set({ n: 1 });
    expect([one.me, other.me]).toEqual([{ n: 1 }, { n: 1 }]);
    expect([...other.others.values()]).toEqual([ann]);
    one.leave();
    await one.ended;
    expect([one.me, one.others.size]).toEqual([undefined, 0]);
    expect([other.me, other.others.size, state.handles.size]).toEqual([{ n: 1 }, 1, 1]);
    expect(calls).toEqual(['{"n":1}']);
  });

  test('ends the place with the last handle, once', () => {
    const { enter, calls } = place();
    const [one, other] = [enter(), enter()];
    for (const handle of [one, one, other, other, one]) handle.leave();
    expect(calls).toEqual(['end']);
  });

  test('ends with the place, and then accepts no state', async () => {
    const { enter, state, calls } = place();
    const handles = [enter(), enter()];
    for (const finish of [...state.handles]) finish();
    for (const handle of handles) {
      await handle.ended;
      expect(() => handle.set({ n: 1 })).toThrow(/not open/);
      handle.leave();
    }
    // The place ended by itself, so no handle has to end it.
    expect([calls, state.handles.size]).toEqual([[], 0]);
  });

  test('sends no state that has the same text', () => {
    const { enter, calls } = place();
    const one = enter();
    const state: { n?: unknown } = { n: 1 };
    one.set(state);
    one.set({ n: 1, ...{ left: undefined } });
    state.n = 2;
    one.set(state);
    expect(calls).toEqual(['{"n":1}', '{"n":2}']);
  });

  test('keeps its state if the next one is not valid', () => {
    const { enter, calls } = place();
    const one = enter();
    one.set({ n: 1 });
    expect(() => one.set({ n: 2n })).toThrow(/state of presence/);
    expect(() => one.set({ n: 'x'.repeat(2000) })).toThrow(/limit reached/);
    expect([one.me, calls]).toEqual([{ n: 1 }, ['{"n":1}']]);
  });

  test('tells its own listeners only, each as often as it subscribed, until they stop', () => {
    const { enter, tell, state } = place();
    const [one, other] = [enter(), enter()];
    const told: string[] = [];
    const listener = () => void told.push('one');
    const stops = [one.subscribe(listener), one.subscribe(listener)];
    other.subscribe(() => void told.push('other'));
    tell();
    expect(told.splice(0)).toEqual(['one', 'one', 'other']);
    stops[0]?.();
    stops[0]?.();
    tell();
    expect(told.splice(0)).toEqual(['one', 'other']);
    one.leave();
    tell();
    expect(told.splice(0)).toEqual(['other']);
    one.subscribe(listener)();
    tell();
    expect([told, state.listeners.size]).toEqual([['other'], 1]);
  });
});

describe('the text of a state', () => {
  test.each<[string, unknown, string]>([
    ['an empty object', {}, '{}'],
    ['fields without a value', { a: undefined, b: () => 1, c: null }, '{"c":null}'],
    ['a date', { at: new Date(0) }, '{"at":"1970-01-01T00:00:00.000Z"}'],
    ['an own text form', { toJSON: () => ({ a: 1 }) }, '{"a":1}'],
    ['an own field `__proto__`', JSON.parse('{"__proto__":{"a":1}}'), '{"__proto__":{"a":1}}'],
    ['half of a character', { a: '\ud83d' }, '{"a":"\\ud83d"}'],
  ])('is that of JSON: %s', (_, state, text) => {
    expect(stateText(state)).toBe(text);
  });

  test.each<[string, unknown]>([
    ['undefined', undefined],
    ['null', null],
    ['a text', '{'],
    ['a number', 1],
    ['an array', [{}]],
    ['a function', () => ({})],
    ['a date', new Date()],
    ['an object with the text form of a text', { toJSON: () => '{}' }],
    ['an object without a text form', { toJSON: () => undefined }],
  ])('is refused for %s', (_, state) => {
    expect(() => stateText(state)).toThrow(expect.objectContaining({ code: 'REQUEST_INVALID' }));
  });

  test('is refused with the cause for what JSON cannot contain', () => {
    const circle: Record<string, unknown> = {};
    circle['self'] = circle;
    for (const state of [circle, { n: 1n }]) {
      const refused = expect.objectContaining({ code: 'REQUEST_INVALID', cause: expect.any(TypeError) });
      expect(() => stateText(state)).toThrow(refused);
    }
  });

  test.each([
    ['a', 1400 - 8],
    ['é', (1400 - 8) / 2],
    ['😀', (1400 - 8) / 4],
    ['"', (1400 - 8) / 2],
  ])('has at most 1400 bytes, of %s', (char, times) => {
    expect(stateText({ a: char.repeat(times) })).toContain(JSON.stringify(char).slice(1, -1));
    expect(() => stateText({ a: char.repeat(times + 1) })).toThrow(
      expect.objectContaining({ code: 'LIMIT_REACHED', message: expect.stringContaining('of at most 1400') }),
    );
  });
});
