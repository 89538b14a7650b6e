import { expect, onTestFinished, test, vi } from 'vitest';
import type { Open } from './socket-connection.ts';
import { startHeartbeat } from './socket-heartbeat.ts';

const ROUND_MS = 30_000;
const TICK_MS = 250;
const SOCKETS = 10_000;

function arranged(count: number) {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const opened = new Set<Open>();
  const pings = new Map<Open, number>();
  const cuts: Open[] = [];
  let pinged = 0;
  for (let n = 0; n < count; n += 1) {
    const ping = () => {
      pinged += 1;
      pings.set(open, (pings.get(open) ?? 0) + 1);
    };
    const open = {
      socket: { readyState: 1, OPEN: 1, ping },
      stops: new Map([['ledger', () => undefined]]),
      openers: new Map(),
      silent: 0,
    } as unknown as Open;
    opened.add(open);
  }
  const stop = startHeartbeat({
    opened,
    cut: (open) => void cuts.push(open),
    rights: {} as never,
    report: () => undefined,
  });
  onTestFinished(stop);
  /** Returns how many sockets each tick pinged. */
  const pass = (ms: number, answer: (open: Open) => boolean = () => true) =>
    Array.from({ length: ms / TICK_MS }, () => {
      const before = pinged;
      vi.advanceTimersByTime(TICK_MS);
      for (const open of opened) if (answer(open)) open.silent = 0;
      return pinged - before;
    });
  return { opened, pings, cuts, pass };
}

test('[R15] pings each socket once per round, and only a share of the sockets per tick', () => {
  const { opened, pings, cuts, pass } = arranged(SOCKETS);
  const perTick = pass(ROUND_MS);
  expect(Math.max(...perTick)).toBe(Math.ceil(SOCKETS / (ROUND_MS / TICK_MS)));
  expect([...opened].every((open) => pings.get(open) === 1)).toBe(true);
  pass(ROUND_MS);
  expect([...opened].every((open) => pings.get(open) === 2)).toBe(true);
  expect(cuts).toEqual([]);
});

test("cuts a socket that doesn't answer pings, within two rounds", () => {
  const { opened, cuts, pass } = arranged(7);
  const [dead] = opened;
  pass(2 * ROUND_MS, (open) => open !== dead);
  expect(cuts).toEqual([dead]);
});

test('skips sockets that closed during the round', () => {
  const { opened, pings, pass } = arranged(10);
  const last = [...opened].at(-1) as Open;
  pass(TICK_MS);
  opened.delete(last);
  pass(ROUND_MS);
  expect(pings.has(last)).toBe(false);
});
