import { act, renderHook } from '@testing-library/react';
import type { Attached, Presence, PresenceStatus, PresentClient } from 'fixpoint';
import { StrictMode } from 'react';
import { renderToString } from 'react-dom/server';
import { describe, expect, test } from 'vitest';
import { usePresence } from './index.ts';

interface Cursor {
  readonly name: string;
}

/** An attachment with a presence that the test controls. */
function fakeAttached(failure?: Error) {
  const seen = { entered: 0, left: 0, sets: [] as Cursor[] };
  const open = new Set<() => void>();
  let me: Cursor | undefined;
  let others: ReadonlyMap<string, PresentClient<Cursor>> = new Map();
  const status: PresenceStatus = { state: 'present' };
  const tell = () => {
    for (const listener of [...open]) listener();
  };
  const enter = async (state?: Cursor): Promise<Presence<Cursor>> => {
    await Promise.resolve();
    if (failure !== undefined) throw failure;
    seen.entered += 1;
    me = state ?? me;
    return {
      get me() {
        return me;
      },
      get others() {
        return others;
      },
      status: () => status,
      set: (next) => {
        if (next.name.length > 10) throw new Error('limit reached');
        seen.sets.push(next);
        me = next;
        tell();
      },
      subscribe: (fn) => {
        open.add(fn);
        return () => void open.delete(fn);
      },
      leave: () => {
        seen.left += 1;
      },
      ended: new Promise(() => undefined),
    };
  };
  const become = (next: readonly PresentClient<Cursor>[]) => {
    others = new Map(next.map((one) => [one.id, one]));
    tell();
  };
  const attached = { presence: { enter } } as unknown as Attached;
  return { attached, seen, become, tell, listeners: () => open.size };
}

const clientOf = (id: string): PresentClient<Cursor> => ({ id, user: `user-${id}`, state: { name: id } });
const turn = () => act(async () => void (await new Promise((done) => setTimeout(done, 0))));

describe('usePresence', () => {
  test('shows others, and sends the state of this client', async () => {
    const { attached, become, seen } = fakeAttached();
    const { result } = renderHook(() => usePresence<Cursor>(attached));
    expect(result.current).toMatchObject({ me: undefined, others: [], status: undefined });
    await turn();
    act(() => become([clientOf('ann')]));
    expect(result.current.others).toEqual([clientOf('ann')]);
    act(() => result.current.update({ name: 'me' }));
    expect(result.current.me).toEqual({ name: 'me' });
    expect(result.current.status).toEqual({ state: 'present' });
    expect(seen.sets).toEqual([{ name: 'me' }]);
  });

  test('rejects a state that others could not receive, also before the ledger is attached', async () => {
    const codeOf = (update: (state: never) => void, state: unknown) => {
      try {
        update(state as never);
        return 'taken';
      } catch (cause) {
        return (cause as { code?: string }).code;
      }
    };
    const { result } = renderHook(() => usePresence<Record<string, unknown>>(undefined));
    act(() => result.current.update({ name: 'early' }));
    const { update } = result.current;
    expect(codeOf(update, { text: 'x'.repeat(1400) })).toBe('LIMIT_REACHED');
    expect(codeOf(update, 'text')).toBe('REQUEST_INVALID');
    expect(codeOf(update, { big: 1n })).toBe('REQUEST_INVALID');
    expect(result.current.me).toEqual({ name: 'early' });
  });

  test('sends a state that was set before the ledger was attached', async () => {
    const { attached, seen } = fakeAttached();
    const { result } = renderHook(() => usePresence<Cursor>(attached));
    act(() => result.current.update({ name: 'early' }));
    expect(result.current.me).toEqual({ name: 'early' });
    await turn();
    expect(seen.sets).toEqual([{ name: 'early' }]);
  });

  test('returns the same objects while nothing changes', async () => {
    const { attached, become, tell } = fakeAttached();
    let renders = 0;
    const { result, rerender } = renderHook(() => {
      renders += 1;
      return usePresence<Cursor>(attached);
    });
    await turn();
    act(() => become([clientOf('ann')]));
    const before = result.current;
    const count = renders;
    act(tell);
    expect(renders).toBe(count);
    rerender();
    expect(result.current).toBe(before);
    act(() => result.current.update({ name: 'me' }));
    expect(result.current.others).toBe(before.others);
    expect(result.current.update).toBe(before.update);
  });

  test('leaves when the component is unmounted, also before it entered', async () => {
    const { attached, seen, listeners } = fakeAttached();
    const first = renderHook(() => usePresence(attached));
    first.unmount();
    await turn();
    expect(seen).toMatchObject({ entered: 1, left: 1 });
    const second = renderHook(() => usePresence(attached));
    await turn();
    expect(listeners()).toBe(1);
    second.unmount();
    expect(seen).toMatchObject({ entered: 2, left: 2 });
    expect(listeners()).toBe(0);
  });

  test('keeps one place in strict mode', async () => {
    const { attached, seen, become, listeners } = fakeAttached();
    const { result, unmount } = renderHook(() => usePresence<Cursor>(attached), { wrapper: StrictMode });
    await turn();
    expect(seen.entered - seen.left).toBe(1);
    expect(listeners()).toBe(1);
    act(() => become([clientOf('ann')]));
    expect(result.current.others).toHaveLength(1);
    unmount();
    expect(seen.entered).toBe(seen.left);
  });

  test('follows another attachment', async () => {
    const [one, two] = [fakeAttached(), fakeAttached()];
    const { result, rerender } = renderHook(({ attached }) => usePresence<Cursor>(attached), {
      initialProps: { attached: one.attached as Attached | undefined },
    });
    await turn();
    act(() => one.become([clientOf('ann')]));
    rerender({ attached: two.attached });
    await turn();
    expect(one.seen).toMatchObject({ entered: 1, left: 1 });
    expect(result.current.others).toEqual([]);
    rerender({ attached: undefined });
    expect(result.current).toMatchObject({ others: [], status: undefined });
  });

  test('reports why presence does not work', async () => {
    const { attached } = fakeAttached(new Error('in a worker'));
    const { result } = renderHook(() => usePresence<Cursor>(attached));
    await turn();
    expect(result.current.error?.message).toBe('in a worker');
    expect(result.current.others).toEqual([]);
  });

  test('throws when others cannot receive a state, and keeps the previous one', async () => {
    const { attached } = fakeAttached();
    const { result } = renderHook(() => usePresence<Cursor>(attached));
    await turn();
    act(() => result.current.update({ name: 'me' }));
    expect(() => result.current.update({ name: 'a name that is too long' })).toThrow(/limit/);
    expect(result.current.me).toEqual({ name: 'me' });
  });

  test('renders nobody on a server, and enters nothing', async () => {
    const { attached, seen } = fakeAttached();
    function Page() {
      const { me, others } = usePresence<Cursor>(attached);
      return <p>{`${others.length} others, ${me?.name ?? 'nobody'}`}</p>;
    }
    expect(renderToString(<Page />)).toBe('<p>0 others, nobody</p>');
    await Promise.resolve();
    expect(seen.entered).toBe(0);
  });
});
