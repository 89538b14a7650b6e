/** Presence over a real bridge, at a place in a ledger that the test controls. */
import { afterEach, describe, expect, test } from 'vitest';
import { memoryPlatform } from '../../tests/memory-platform.fixture.ts';
import { openDatabase } from '../database/open.ts';
import { connectEngine } from '../entries/bridge.ts';
import { serveEngine } from '../entries/worker.ts';
import { type HandleState, presenceHandle } from '../sync/presence/presence-handle.ts';
import type { Attached, Presence, PresentClient } from '../sync/remote.ts';
import { toCloud } from './attached.ts';
import type { BridgePort } from './line.ts';
import { createPageEnd, type PageEnd } from './page-end.ts';
import { presenceVerbs } from './presence-thing.ts';

type Cursor = Record<string, unknown>;
type Place = { -readonly [K in keyof HandleState]: HandleState[K] };

const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

const client = (user: string, state: Cursor): PresentClient => ({ id: `id/${user}`, user, state });

async function bridged() {
  const { port1, port2 } = new MessageChannel();
  const sent: unknown[] = [];
  let others: ReadonlyMap<string, PresentClient> = new Map();
  const place: Place = {
    handles: new Set(),
    listeners: new Set(),
    others: { all: () => others },
    ...{ me: undefined, text: undefined, status: { state: 'connecting' } },
  };
  const tell = () => {
    for (const listener of [...place.listeners]) listener();
  };
  const set = (me: object, text: string) => {
    sent.push(JSON.parse(text));
    Object.assign(place, { me, text });
    tell();
  };
  const refused: { error?: Error } = {};
  const attached = {
    status: () => ({ state: 'synced' }),
    onStatus: () => () => undefined,
    kind: () => 'open-key',
    devices: { isApproved: () => true },
    held: async () => [],
    presence: {
      enter: async (me: object | undefined) => {
        if (refused.error !== undefined) throw refused.error;
        const handle = presenceHandle(place, { set, end: () => void sent.push('end') });
        if (me !== undefined) handle.set(me);
        return handle;
      },
    },
  } as unknown as Attached;
  serveEngine(port2 as unknown as BridgePort, (name) =>
    Object.assign(openDatabase(name, memoryPlatform().platform), { attach: async () => attached }),
  );
  const engine = connectEngine(port1 as unknown as BridgePort);
  ends.push(() => port1.close());
  const options = { base: 'http://cloud.test', tenant: 't', ledger: 'l', kind: 'open-key' as const };
  const page = await engine.open('db').attach(toCloud({ ...options, token: 'token' }));
  return {
    ...{ page, place, sent, refused, engine, port1, port2, tell },
    /** Changes who else is present, in one step. */
    show: (...clients: readonly PresentClient[]) => {
      others = new Map(clients.map((one) => [one.id, one]));
      tell();
    },
    /** Waits until both ends have received everything. */
    settled: () => page.held(),
    /** Changes the state of the place, as another handle in the worker does. */
    setElsewhere: (me: Cursor) => set(me, JSON.stringify(me)),
    endPlace: () => {
      for (const finish of [...place.handles]) finish();
    },
  };
}

describe('presence of a page', () => {
  test('has everything that the worker knows as soon as it has entered', async () => {
    const { page, place, show } = await bridged();
    place.status = { state: 'present' };
    show(client('ann', { n: 1 }), client('ben', {}));
    const presence = await page.presence.enter<Cursor>({ name: 'me' });
    expect([presence.me, presence.status()]).toEqual([{ name: 'me' }, { state: 'present' }]);
    expect([...presence.others.values()]).toEqual([client('ann', { n: 1 }), client('ben', {})]);
  });

  test('receives changed clients only, and keeps the others as they are', async () => {
    const { page, show, settled } = await bridged();
    const [ann, ben] = [client('ann', { n: 1 }), client('ben', { n: 1 })];
    show(ann, ben);
    const presence = await page.presence.enter<Cursor>();
    const [before, annBefore] = [presence.others, presence.others.get(ann.id)];
    show(ann, client('ben', { n: 2 }), client('eve', {}));
    await settled();
    expect(presence.others).not.toBe(before);
    expect(presence.others.get(ann.id)).toBe(annBefore);
    expect([...presence.others.values()].map(({ user, state }) => [user, state])).toEqual([
      ['ann', { n: 1 }],
      ['ben', { n: 2 }],
      ['eve', {}],
    ]);
    show(ann);
    await settled();
    expect([...presence.others.keys()]).toEqual([ann.id]);
    // Values that the page received before don't change.
    expect([before.size, before.get(ben.id)?.state]).toEqual([2, { n: 1 }]);
  });

  test('keeps the map of the others while only its own state and status change', async () => {
    const { page, show, place, tell, settled } = await bridged();
    show(client('ann', {}));
    const presence = await page.presence.enter<Cursor>();
    const { others } = presence;
    presence.set({ n: 1 });
    place.status = { state: 'present' };
    tell();
    await settled();
    expect([presence.status(), presence.others === others]).toEqual([{ state: 'present' }, true]);
  });

  test('keeps names of inherited properties as ids and as fields of states', async () => {
    const { page, show } = await bridged();
    const state = JSON.parse('{"__proto__": {"a": 1}, "constructor": null}');
    show({ id: '__proto__', user: 'constructor', state });
    const presence = await page.presence.enter<Cursor>(state);
    const shown = presence.others.get('__proto__');
    expect([...presence.others.keys(), shown?.user]).toEqual(['__proto__', 'constructor']);
    expect(JSON.stringify([shown?.state, presence.me])).toBe(JSON.stringify([state, state]));
  });
});

describe('the state of a page', () => {
  test('is shown at once, and sent once for each text', async () => {
    const { page, sent, settled } = await bridged();
    const presence = await page.presence.enter<Cursor>({ n: 0 });
    let told = 0;
    presence.subscribe(() => {
      told += 1;
    });
    presence.set({ n: 1 });
    expect([presence.me, told]).toEqual([{ n: 1 }, 1]);
    presence.set({ n: 1, none: undefined });
    expect(told).toBe(1);
    await settled();
    expect(sent).toEqual([{ n: 0 }, { n: 1 }]);
  });

  test('is that of the worker if another handle sets it, but never an older one', async () => {
    const { page, sent, setElsewhere, settled } = await bridged();
    const presence = await page.presence.enter<Cursor>({ n: 0 });
    setElsewhere({ n: 'elsewhere' });
    await settled();
    expect(presence.me).toEqual({ n: 'elsewhere' });
    // The page has set a state that the worker doesn't know yet.
    setElsewhere({ n: 'late' });
    presence.set({ n: 'newest' });
    await settled();
    expect([presence.me, sent.at(-1)]).toEqual([{ n: 'newest' }, { n: 'newest' }]);
    // It may return to the state that another handle replaced.
    setElsewhere({ n: 'again' });
    await settled();
    presence.set({ n: 'newest' });
    await settled();
    expect([presence.me, sent.at(-1)]).toEqual([{ n: 'newest' }, { n: 'newest' }]);
  });

  test('is refused without being sent if others cannot receive it', async () => {
    const { page, sent, settled } = await bridged();
    const presence = await page.presence.enter<Cursor>({ n: 0 });
    for (const wrong of [[], 'text', null, { n: 1n }, { text: 'x'.repeat(1400) }])
      expect(() => presence.set(wrong as never)).toThrow(/state of presence/);
    await expect(page.presence.enter([] as never)).rejects.toMatchObject({ code: 'REQUEST_INVALID' });
    await settled();
    expect([presence.me, sent]).toEqual([{ n: 0 }, [{ n: 0 }]]);
  });

  test('is sent, and told to all listeners, even if one of them throws', async () => {
    const { page, sent, settled } = await bridged();
    const presence = await page.presence.enter<Cursor>();
    const told: string[] = [];
    const stop = presence.subscribe(() => {
      throw new Error('of a listener');
    });
    presence.subscribe(() => void told.push('second'));
    expect(() => presence.set({ n: 1 })).toThrow('of a listener');
    expect(told).toEqual(['second']);
    stop();
    await settled();
    expect(sent).toEqual([{ n: 1 }]);
  });

  test('is not told to a listener that stopped', async () => {
    const { page, setElsewhere, settled } = await bridged();
    const presence = await page.presence.enter<Cursor>();
    let told = 0;
    const listener = () => {
      told += 1;
    };
    const stops = [presence.subscribe(listener), presence.subscribe(listener)];
    stops[0]?.();
    presence.set({ n: 1 });
    expect(told).toBe(1);
    stops[1]?.();
    setElsewhere({ n: 2 });
    await settled();
    expect(told).toBe(1);
  });
});

describe('the end of presence of a page', () => {
  test('leaves once, in the worker too, and tells no listener', async () => {
    const { page, sent, place, show, settled } = await bridged();
    show(client('ann', {}));
    const presence = await page.presence.enter<Cursor>({ n: 1 });
    let told = 0;
    presence.subscribe(() => {
      told += 1;
    });
    presence.leave();
    presence.leave();
    await presence.ended;
    await settled();
    expect([presence.me, presence.others.size, told]).toEqual([undefined, 0, 0]);
    expect([sent, place.handles.size, place.listeners.size]).toEqual([[{ n: 1 }, 'end'], 0, 0]);
    expect(() => presence.set({ n: 2 })).toThrow(/not open/);
    show(client('ben', {}));
    await settled();
    expect(presence.others.size).toBe(0);
  });

  test('comes with the end of the place, and tells the listeners once more', async () => {
    const { page, endPlace, show, sent } = await bridged();
    show(client('ann', {}));
    const presence = await page.presence.enter<Cursor>({ n: 1 });
    const seen: unknown[] = [];
    presence.subscribe(() => {
      throw new Error('of a listener');
    });
    presence.subscribe(() => void seen.push([presence.me, presence.others.size]));
    endPlace();
    await presence.ended;
    expect(seen).toEqual([[undefined, 0]]);
    expect(() => presence.set({})).toThrow(/not open/);
    expect(sent).toEqual([{ n: 1 }]);
  });

  test('leaves the place of a page that is closed', async () => {
    const { page, place, sent, port1 } = await bridged();
    await page.presence.enter<Cursor>({ n: 1 });
    await page.presence.enter<Cursor>({ n: 2 });
    expect(place.handles.size).toBe(2);
    port1.close();
    await expect.poll(() => place.handles.size).toBe(0);
    expect(sent).toEqual([{ n: 1 }, { n: 2 }, 'end']);
  });

  test('is forgotten by the end of the page, however often a page enters and leaves', async () => {
    const pageEnd = createPageEnd();
    let [left, known] = [0, 0];
    const counted: PageEnd = {
      ...pageEnd,
      onEnd: (fn) => {
        known += 1;
        const forget = pageEnd.onEnd(fn);
        return () => {
          known -= 1;
          forget();
        };
      },
    };
    const enter = () => {
      let finish: () => void = () => undefined;
      const ended = new Promise<void>((resolve) => {
        finish = resolve;
      });
      const leave = () => {
        left += 1;
        finish();
      };
      const presence = { leave, ended } as unknown as Presence;
      return { verbs: presenceVerbs(presence, undefined, counted), finish, ended };
    };
    for (let n = 0; n < 100; n += 1) {
      const { verbs, finish, ended } = enter();
      // Some leave, and the place of others ends.
      if (n % 2 === 0) verbs.leave();
      else finish();
      await ended;
    }
    await Promise.resolve();
    expect([known, left]).toEqual([0, 50]);
    enter();
    pageEnd.end();
    // Only the one that was still present.
    expect(left).toBe(51);
    enter();
    expect(left).toBe(52);
  });

  test('keeps the place for the other handles of the page', async () => {
    const { page, sent, show, settled } = await bridged();
    const [one, other] = [await page.presence.enter<Cursor>({ n: 1 }), await page.presence.enter<Cursor>()];
    one.leave();
    show(client('ann', {}));
    other.set({ n: 2 });
    await settled();
    expect([one.others.size, other.others.size, sent]).toEqual([0, 1, [{ n: 1 }, { n: 2 }]]);
  });

  test('shows why, once the worker is lost, to all handles', async () => {
    const { page, engine } = await bridged();
    const handles = [await page.presence.enter<Cursor>({ n: 1 }), await page.presence.enter<Cursor>()];
    let told = 0;
    for (const handle of handles)
      handle.subscribe(() => {
        told += 1;
      });
    engine.lost('the test ended it');
    for (const handle of handles) {
      await handle.ended;
      expect(handle.status()).toMatchObject({ state: 'refused', error: { code: 'WORKER_LOST' } });
      expect([handle.me, handle.others.size]).toEqual([undefined, 0]);
      handle.leave();
    }
    expect(told).toBe(2);
    await expect(page.presence.enter({})).rejects.toMatchObject({ code: 'WORKER_LOST' });
  });

  test('shows the lost worker to all handles, although a listener throws', async () => {
    const { page, engine } = await bridged();
    const [one, other] = [await page.presence.enter<Cursor>({ n: 1 }), await page.presence.enter<Cursor>()];
    one.subscribe(() => {
      throw new Error('thrown by the listener');
    });
    const closed: string[] = [];
    engine.open('another').onClosed((reason) => void closed.push(String(reason?.code)));
    expect(() => engine.lost('the test ended it')).toThrow('thrown by the listener');
    expect([one, other].map((handle) => handle.status())).toMatchObject(Array(2).fill({ state: 'refused' }));
    expect(closed).toEqual(['WORKER_LOST']);
  });

  test('does not begin if the worker refuses, and begins at the next call', async () => {
    const { page, refused, place } = await bridged();
    refused.error = new Error('refused');
    await expect(page.presence.enter<Cursor>({ n: 1 })).rejects.toThrow('refused');
    delete refused.error;
    const presence = await page.presence.enter<Cursor>({ n: 2 });
    expect([presence.me, place.handles.size]).toEqual([{ n: 2 }, 1]);
  });
});
