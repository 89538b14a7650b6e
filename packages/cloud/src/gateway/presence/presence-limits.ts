/** Limits of presence, which tests may lower. */
export interface PresenceLimits {
  /** Rooms that one socket may enter. */
  readonly roomsPerSocket: number;
  /** Sockets of one user in one room of this process. */
  readonly membersPerUser: number;
  /** States of one user in one room, including those at other gateways. */
  readonly statesPerUserAndRoom: number;
  /** States of one user at this gateway, in all rooms. */
  readonly statesPerUser: number;
  /** Bytes of all states in one room. A listing has as many bytes. */
  readonly bytesPerRoom: number;
  /** Bytes of all states in this process. */
  readonly bytesInProcess: number;
}

export const PRESENCE_LIMITS: PresenceLimits = {
  roomsPerSocket: 8,
  membersPerUser: 50,
  statesPerUserAndRoom: 50,
  statesPerUser: 200,
  bytesPerRoom: 524_288,
  bytesInProcess: 67_108_864,
};

/** Interval between two events of a room. Changes in between are collected. */
export const FLUSH_MS = 100;
/** After a pause, the first change waits this long for others. */
export const GATHER_MS = 15;
/** Characters of changed states in one event. Further changes wait for the next event. */
export const EVENT_CHARS_MAX = 65_536;
/** Bytes that one flush may send to all sockets. Further rooms wait for the next flush. */
export const FLUSH_BYTES_MAX = 16_777_216;
/** Interval between looks for repeats that are due. */
export const SWEEP_MS = 250;
/**
 * Each gateway repeats its states to the others within this time. Each room has its own random
 * phase, so repeats don't come all at once.
 */
export const REPEAT_MS = 10_000;
/** Least interval between two repeats of a room, however many gateways ask. */
export const REPEAT_LEAST_MS = 1000;
/** A gateway that asks waits up to this long, a random time, for each of the others. */
export const ASKED_MS = 200;
/** States that a gateway stopped repeating expire after this time. */
export const EXPIRE_MS = 30_000;
/**
 * Interval between checks of all rights, and maximum age of a cached right. Together less than five
 * seconds.
 */
export const RIGHTS_MS = 3500;
export const RIGHTS_AGE_MS = 1000;
/** Rights that are looked up at once. Messages of clients need connections to the tables, too. */
export const RIGHTS_AT_ONCE = 8;
/** Without a completed check of rights, a room sends nothing after this time. */
export const RIGHTS_TRUSTED_MS = 15_000;
