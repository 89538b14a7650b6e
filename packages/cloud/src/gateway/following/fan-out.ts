/**
 * Sends metas to the followers of a ledger. Each follower has a cursor into the rows. A hint only
 * says that the rows may have changed, and a sweep covers lost hints. Cuts a follower that may no
 * longer read the ledger.
 */
import type { HintBus } from '../../bus/hint-bus.ts';
import type { GatewayWatch } from '../../observe/gateway-watch.ts';
import { lastPlaces } from '../../tables/sync/meta-rows.ts';
import type { Binding } from '../carriers/carrier.ts';
import {
  type Channel,
  cutUnlessEntitled,
  type DeliveryParts,
  deliver,
  type Follower,
  followingOf,
  isSame,
} from './deliver-news.ts';

const SWEEP_MS = 1000;
/**
 * Interval between checks of all rights, which use cached answers up to `RIGHTS_AGE_MS` old. So a
 * follower whose right another process revoked is cut within five seconds, even if nothing is sent.
 */
const RIGHTS_MS = 3500;
const RIGHTS_AGE_MS = 1000;

export interface FanOut {
  /** Follows a ledger from the binding's cursor on. Returns a function that stops following. */
  follow(binding: Binding, follower: Follower): () => void;
  /** Returns the number of bindings. */
  count(): number;
  /** Checks the rights of all followers now, because they may have changed. */
  recheck(): void;
  /** Resolves when no delivery is running. */
  settled(): Promise<void>;
  stop(): Promise<void>;
}

export interface FanOutParts extends DeliveryParts {
  readonly bus: HintBus;
  readonly watch: Pick<GatewayWatch, 'delivered'>;
  readonly now: () => number;
  readonly report: (error: unknown) => void;
}

/** State that the parts of the fan-out share. */
interface FanOutState {
  readonly parts: FanOutParts;
  readonly channels: Map<string, Channel>;
  isStopped: boolean;
}

export function createFanOut(parts: FanOutParts): FanOut {
  const state: FanOutState = { parts, channels: new Map(), isStopped: false };
  const { channels } = state;
  const recheck = createRecheck(state);
  const timers = [
    every(SWEEP_MS, createSweep(state), parts.report),
    every(RIGHTS_MS, () => checkRights(state), parts.report),
  ];
  const stopHints = parts.bus.subscribe((ledger) => {
    const channel = channels.get(ledger);
    if (channel !== undefined) void look(state, channel);
  });
  const settled = async () => {
    await Promise.all([recheck.running(), ...[...channels.values()].map(({ running }) => running)]);
  };
  return {
    count: () => [...channels.values()].reduce((sum, { followings }) => sum + followings.size, 0),
    follow: (binding, follower) => follow(state, binding, follower),
    recheck: recheck.start,
    settled,
    stop: async () => {
      state.isStopped = true;
      for (const timer of timers) clearInterval(timer);
      stopHints();
      await settled();
    },
  };
}

function follow(state: FanOutState, binding: Binding, follower: Follower): () => void {
  const { channels } = state;
  const { tenant, ledger } = binding;
  const channel = channels.get(ledger) ?? newChannel(tenant, ledger);
  channels.set(ledger, channel);
  const following = followingOf(binding, follower);
  channel.followings.add(following);
  // An entry may have arrived between the first answer and now.
  void look(state, channel);
  return () => {
    channel.followings.delete(following);
    if (channel.followings.size === 0 && channels.get(ledger) === channel) channels.delete(ledger);
  };
}

const newChannel = (tenant: string, ledger: string): Channel => ({
  id: { tenant, ledger },
  followings: new Set(),
  seen: undefined,
  running: undefined,
  again: false,
});

/** Delivers new entries now. Hints that arrive during a delivery cause one more delivery. */
function look(state: FanOutState, channel: Channel): Promise<void> {
  if (channel.running === undefined) channel.running = lookWhileHinted(state, channel);
  else channel.again = true;
  return channel.running;
}

async function lookWhileHinted(state: FanOutState, channel: Channel): Promise<void> {
  const { parts } = state;
  try {
    do {
      channel.again = false;
      const start = parts.now();
      const sent = await deliver(parts, channel);
      if (sent > 0) parts.watch.delivered(sent, (parts.now() - start) / 1000);
    } while (channel.again && !state.isStopped);
  } catch (cause) {
    parts.report(cause);
  }
  // Cleared in the same turn of the event loop as the last check of `again`. Otherwise a hint could
  // rely on a delivery that already ended.
  channel.running = undefined;
}

/**
 * Creates the sweep, which looks for entries whose hints were lost and for objects that vanished.
 */
function createSweep(state: FanOutState): () => Promise<void> {
  const { parts, channels } = state;
  let looked = 0;
  /** Checks one ledger per sweep, because its objects may vanish while no client requests them. */
  async function lookThroughNext(): Promise<void> {
    const all = [...channels.values()];
    looked = (looked + 1) % Math.max(all.length, 1);
    const channel = all[looked];
    if (channel !== undefined && (await parts.listings.look(channel.id))) void look(state, channel);
  }
  return async () => {
    const places = await lastPlaces(parts.db, [...channels.keys()]);
    for (const [ledger, channel] of channels) {
      const last = places.get(ledger);
      // Compares marks too, because tables that lost their newest entries may have reached the same
      // number again.
      if (last !== undefined && !isSame(last, channel.seen)) void look(state, channel);
    }
    await lookThroughNext();
  };
}

async function checkRights(state: FanOutState): Promise<void> {
  for (const channel of [...state.channels.values()]) {
    for (const following of [...channel.followings])
      await cutUnlessEntitled(state.parts, channel, following, RIGHTS_AGE_MS);
    // Lost rights change which devices get the next key, so the remaining followers are notified.
    if ([...channel.followings].some(({ told }) => told !== '')) void look(state, channel);
  }
}

/** Creates the check of all rights. If it is started while it runs, it runs once more. */
function createRecheck(state: FanOutState) {
  let isDue = false;
  let running: Promise<void> | undefined;
  async function runWhileDue(): Promise<void> {
    while (isDue && !state.isStopped) {
      isDue = false;
      await checkRights(state).catch(state.parts.report);
    }
    running = undefined;
  }
  return {
    running: () => running,
    start: () => {
      isDue = true;
      running ??= runWhileDue();
    },
  };
}

/** Repeats work at an interval. Skips an interval while the previous work is still running. */
function every(ms: number, work: () => Promise<void>, report: (error: unknown) => void) {
  let isBusy = false;
  return setInterval(() => {
    if (isBusy) return;
    isBusy = true;
    work()
      .catch(report)
      .finally(() => {
        isBusy = false;
      });
  }, ms);
}
