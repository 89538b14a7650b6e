/** Gateways with presence in simulated time, connected by a simulated bus. */
import type { PresenceEvent } from '@fixpoint/protocol/storage';
import { onTestFinished } from 'vitest';
import type { StateChannel } from '../../bus/hint-bus.ts';
import type { LedgerAccess } from '../../rights/rights.ts';
import { PRESENCE_LIMITS, type PresenceLimits } from './presence-limits.ts';
import type { PresenceParts } from './presence-state.ts';
import { keyOf, type Seat } from './room.ts';
import { createPresenceRooms, type Entry } from './rooms.ts';

/** Time that passes only in `pass`, and that runs the timers in order. */
function handTime() {
  const timers = new Set<{ readonly at: number; readonly fn: () => void }>();
  let now = 1_000_000;
  return {
    now: () => now,
    /** Number of timers that wait. */
    timers: () => timers.size,
    after: (ms: number, fn: () => void) => {
      const timer = { at: now + ms, fn };
      timers.add(timer);
      return () => void timers.delete(timer);
    },
    pass: async (ms: number) => {
      const end = now + ms;
      for (;;) {
        await new Promise((done) => setImmediate(done));
        const [next] = [...timers].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at);
        if (next === undefined) break;
        timers.delete(next);
        now = Math.max(now, next.at);
        next.fn();
      }
      now = end;
    },
  };
}

/** A bus that delivers texts to all gateways at once, and notes them. */
function stateBus() {
  const listeners = new Set<(text: string) => void>();
  const sent: string[] = [];
  const lost = { all: false };
  const channel: StateChannel = {
    send: (text) => {
      sent.push(text);
      if (!lost.all) for (const listener of [...listeners]) listener(text);
    },
    listen: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
  return { channel, sent, lost };
}

let ids = 0;
/** Returns an id as a client chooses it. */
export const clientId = (): string => {
  ids += 1;
  return `guest${String(ids).replaceAll('0', 'z').padStart(12, 'x')}`;
};

/** Returns gateways that share a bus and a clock. */
export function presenceWorld({ limits = {} }: { limits?: Partial<PresenceLimits> } = {}) {
  const time = handTime();
  const bus = stateBus();
  const access = new Map<string, LedgerAccess>();
  const fails = { rights: false };
  /** Look-ups of rights: their number, how many ran at once, and how long each takes. */
  const lookUps = { count: 0, running: 0, mostAtOnce: 0, takesMs: 0 };
  const reports: unknown[] = [];
  let gateways = 0;

  function gateway({ alone = false }: { alone?: boolean } = {}) {
    gateways += 1;
    const name = `gateway-${gateways}`;
    const parts: PresenceParts = {
      rights: {
        accessTo: async (userId, _tenant, _ledger, apiToken) => {
          if (fails.rights) throw new Error('no tables');
          lookUps.count += 1;
          lookUps.running += 1;
          lookUps.mostAtOnce = Math.max(lookUps.mostAtOnce, lookUps.running);
          if (lookUps.takesMs > 0) await new Promise<void>((done) => void time.after(lookUps.takesMs, done));
          lookUps.running -= 1;
          return access.get(apiToken ?? userId) ?? 'read';
        },
      },
      channel: alone ? undefined : bus.channel,
      now: time.now,
      after: time.after,
      random: () => 0.5,
      newId: () => name,
      report: (error) => void reports.push(error),
      limits: { ...PRESENCE_LIMITS, ...limits },
    };
    const rooms = createPresenceRooms(parts);
    onTestFinished(() => rooms.stop());
    return { name, rooms, client: (userId: string) => clientOf(rooms, userId) };
  }
  return { time, bus, access, fails, lookUps, reports, gateway };
}

export type TestClient = ReturnType<typeof clientOf>;

function clientOf(rooms: ReturnType<typeof createPresenceRooms>, userId: string) {
  const events: PresenceEvent[] = [];
  const texts: string[] = [];
  const state = { isReading: true };
  const seat: Seat = {
    isOpen: () => true,
    isReading: () => state.isReading,
    offer: (frame) => {
      if (!state.isReading) return false;
      texts.push(String(frame));
      events.push(JSON.parse(String(frame)));
      return true;
    },
  };
  const id = clientId();
  const enter = (text?: string, more: Partial<Entry> = {}) =>
    rooms.enter({ seat, userId, pair: 'p', tenant: 't', ledger: 'l', id, text, ...more });
  /** Returns the states that the client sees, by id. */
  const seen = (ledger = 'l') => {
    const shown = seenByUser(ledger);
    return Object.fromEntries(shown.map(([of, user, text]) => [of, [user, text]]));
  };
  /** Returns the states that the client sees, also of different users with the same id. */
  const seenByUser = (ledger = 'l') => {
    const shown = new Map<string, readonly [id: string, user: string, state: string]>();
    for (const event of events.filter((one) => one.ledger === ledger)) {
      if (event.all) shown.clear();
      for (const triple of event.states ?? []) shown.set(keyOf(triple[1], triple[0]), triple);
      for (const [of, user] of event.gone ?? []) shown.delete(keyOf(user, of));
    }
    return [...shown.values()];
  };
  const close = () => rooms.gone(seat);
  return { id, userId, seat, state, events, texts, enter, seen, seenByUser, close };
}
