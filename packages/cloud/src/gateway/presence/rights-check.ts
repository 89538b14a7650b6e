/** Checks the rights of all members repeatedly, because they may have been revoked elsewhere. */
import { RIGHTS_AGE_MS, RIGHTS_AT_ONCE, RIGHTS_MS } from './presence-limits.ts';
import type { PresenceState } from './presence-state.ts';
import type { Room, Seat } from './room.ts';

/** The connections in a room that have one right: of one user, with one API token or without. */
interface Check {
  readonly room: Room;
  readonly userId: string;
  readonly apiToken: string | undefined;
  readonly pairs: (readonly [seat: Seat, pair: string])[];
}

/** Creates the check of all rights. Connections that lost access leave. */
export function createRightsCheck(
  state: PresenceState,
  leave: (room: Room, seat: Seat, pair: string) => void,
) {
  const { rights, report, after, now } = state.parts;
  let isDue = false;
  let running: Promise<void> | undefined;
  let stopTimer: (() => void) | undefined;

  async function check({ room, userId, apiToken, pairs }: Check): Promise<boolean> {
    try {
      const access = await rights.accessTo(userId, room.tenant, room.ledger, apiToken, RIGHTS_AGE_MS);
      if (access === 'none') for (const [seat, pair] of pairs) leave(room, seat, pair);
      return true;
    } catch (cause) {
      // The other members are checked all the same.
      report(cause);
      return false;
    }
  }

  /**
   * Looks up several rights at once, and each of them once for all sockets of a user, so that the
   * check of many members ends within its interval.
   */
  async function checkAll(): Promise<void> {
    const at = now();
    const rooms = [...state.rooms.values()];
    const waiting = rooms.flatMap(checksOf);
    const failed = new Set<Room>();
    const worker = async () => {
      for (let next = waiting.pop(); next !== undefined && !state.isStopped; next = waiting.pop())
        if (!(await check(next))) failed.add(next.room);
    };
    await Promise.all(Array.from({ length: RIGHTS_AT_ONCE }, worker));
    for (const room of rooms) if (!failed.has(room)) room.checkedAt = at;
  }

  async function runWhileDue(): Promise<void> {
    while (isDue && !state.isStopped) {
      isDue = false;
      await checkAll();
    }
  }
  const start = () => {
    isDue = true;
    // Without rooms, the run ends before this assignment, so only a later turn may clear it.
    running ??= runWhileDue().finally(() => {
      running = undefined;
      if (isDue && !state.isStopped) start();
    });
  };
  /** Checks repeatedly as long as there are members. */
  function repeat(): void {
    if (state.isStopped || state.rooms.size === 0) return;
    stopTimer ??= after(RIGHTS_MS, () => {
      stopTimer = undefined;
      start();
      repeat();
    });
  }
  return { start, repeat, settled: async () => running, stop: () => stopTimer?.() };
}

function checksOf(room: Room): readonly Check[] {
  const checks = new Map<string, Check>();
  for (const { userId, seat, pairs } of room.members.values())
    for (const [pair, apiToken] of pairs) {
      const name = `${userId} ${apiToken ?? ''}`;
      const known = checks.get(name);
      if (known === undefined) checks.set(name, { room, userId, apiToken, pairs: [[seat, pair]] });
      else known.pairs.push([seat, pair]);
    }
  return [...checks.values()];
}
