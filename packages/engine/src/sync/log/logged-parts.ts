/** The parts of a ledger with a membership log that its operations share. */
import { FixpointError } from '@fixpoint/protocol';
import type { Signer } from '@fixpoint/protocol/storage';
import { hex } from '../../base/bytes.ts';
import type { createTurns } from '../../base/turns.ts';
import type { Platform } from '../../ports/platform.ts';
import type { LogSession, SessionParts } from './log-session.ts';
import type { Followed } from './log-state.ts';
import type { OwnEventsParts } from './own-events.ts';

export interface LoggedParts
  extends Omit<SessionParts, 'report' | 'now' | 'commits' | 'names'>,
    OwnEventsParts {
  readonly commits: SessionParts['commits'] & OwnEventsParts['commits'];
  /** See `MemberOptions`. */
  readonly newKeyAfter?: number | undefined;
  readonly platform: Pick<Platform, 'random' | 'time' | 'report'>;
  /** Returns the signer of this database. @throws FixpointError NOT_IMPLEMENTED */
  readonly signer: () => Promise<Signer>;
  /** Returns the heads of the database: CIDs of events in bytes, sorted, at most 16. */
  readonly cut: () => readonly Uint8Array[];
}

/** Returns the parts that each entry needs. */
export const placeIn = ({ ledger, keys, platform }: LoggedParts, { view }: Followed) => ({
  ...{ ledger, view, start: hex(keys.log() as Uint8Array), timeMs: platform.time.now() },
});

/** Lets calls run one after another. */
export type Turns = ReturnType<typeof createTurns>;

/**
 * Lets no device administer a log whose id it doesn't know (L2).
 * @throws FixpointError LEDGER_NOT_COMPARED
 */
export function requireCompared({ follower }: LogSession): void {
  if (follower()?.isUncompared() === true) throw new FixpointError('LEDGER_NOT_COMPARED');
}
