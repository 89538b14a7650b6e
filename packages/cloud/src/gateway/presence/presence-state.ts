/** Types that the parts of presence share. */
import type { StateChannel } from '../../bus/hint-bus.ts';
import type { LedgerRights } from '../../rights/rights.ts';
import type { PresenceLimits } from './presence-limits.ts';
import type { Room, Seat, Totals } from './room.ts';

export interface PresenceParts {
  readonly rights: Pick<LedgerRights, 'accessTo'>;
  /** Carries states between gateways; undefined for a single gateway. */
  readonly channel: StateChannel | undefined;
  readonly now: () => number;
  /** Calls `fn` once after `ms`. Returns a function that cancels the call. */
  readonly after: (ms: number, fn: () => void) => () => void;
  /** Returns a number from 0 up to 1. */
  readonly random: () => number;
  /** Returns the random id of this gateway. */
  readonly newId: () => string;
  readonly report: (error: unknown) => void;
  readonly limits?: PresenceLimits;
}

export interface Peers {
  /** Asks for the states of a room that got its first member here. */
  opened(room: Room): void;
  /** Tells what changed here since the last call. */
  tell(room: Room): void;
  stop(): void;
}

/** State that the parts of presence share. */
export interface PresenceState {
  readonly parts: PresenceParts;
  readonly limits: PresenceLimits;
  readonly rooms: Map<string, Room>;
  readonly ofSeat: Map<Seat, Set<Room>>;
  readonly totals: Totals;
  /** Rooms that wait for an event, the longest first. */
  readonly waiting: Set<Room>;
  readonly mayList: (userId: string) => boolean;
  peers: Peers | undefined;
  /** Starts the repeated checks of rights, unless they run. */
  checkRepeatedly: () => void;
  flushedAt: number;
  stopFlush: (() => void) | undefined;
  isStopped: boolean;
}
