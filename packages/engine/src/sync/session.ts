import type { Commits } from '../commit/open.ts';
import type { Platform } from '../ports/platform.ts';
import type { RemoteMemory } from './remote-memory.ts';
import type { Connection, Target } from './transport/connection.ts';

/** What the parts of one attachment share. */
export interface Session {
  readonly commits: Commits;
  readonly platform: Platform;
  readonly target: Target;
  readonly memory: RemoteMemory;
  /** Aborted when the database is detached. */
  readonly signal: AbortSignal;
  /** The connection that can be used now. */
  connection(): Connection | undefined;
}
