/**
 * Whether this device may send what it writes. A device that may only read doesn't merge: its
 * merges would stay on this device, and hide later writes of others.
 */
import { isFixpointError } from '@fixpoint/protocol';
import { textOf, utf8 } from '../base/bytes.ts';
import type { Commits } from '../commit/commits-interface.ts';
import type { Attached, WatchListed } from '../sync/remote.ts';
import type { Core } from './core.ts';

/**
 * A row for each ledger that is known to accept no writes, also for the next process and other
 * tabs. Says how this device knows.
 */
const ROWS = 'reads-only/';
const REASONS = ['token', 'refused'] as const;
type Reason = (typeof REASONS)[number];

interface Rights {
  readonly listeners: Set<() => void>;
  /** Changes of the row run one after another. */
  last: Promise<unknown>;
}

const all = new WeakMap<Commits, Rights>();

function rightsOf(commits: Commits): Rights {
  const rights = all.get(commits) ?? { listeners: new Set(), last: Promise.resolve() };
  all.set(commits, rights);
  return rights;
}

/** Calls `fn` when this device may have got the right to write. */
export const onRights = ({ commits }: Core, fn: () => void): void => void rightsOf(commits).listeners.add(fn);

/** Returns whether no ledger refuses what this device writes, as far as it knows. */
export async function mayMerge({ commits }: Core): Promise<boolean> {
  await rightsOf(commits).last;
  return (await commits.local.names(ROWS)).length === 0;
}

/** Follows the status of an attachment to a ledger. Returns a function that ends this. */
export const followRights = ({ commits, platform }: Core, attached: Attached, ledger: string): (() => void) =>
  attached.onStatus(({ state }) => {
    if (state === 'refused') change(commits, platform.report, ledger, 'refused', true);
    // Everything was sent, so the remote accepts writes again.
    if (state === 'in-sync') change(commits, platform.report, ledger, 'refused', false);
  });

/** Forgets the right at a ledger that the application has left. */
export function forgetRights({ commits, platform }: Core, ledger: string): void {
  for (const reason of REASONS) change(commits, platform.report, ledger, reason, false);
}

/**
 * Looks into the token for the right of this device at a ledger whenever the remote lists all its
 * entries.
 */
export const watchRight = (
  ledger: string,
  ...[listed, { commits, platform, target, signal }]: Parameters<WatchListed>
): ReturnType<WatchListed> => {
  let isKnown = false;
  const look = async () => {
    const right = rightIn(await target.tokens.get(), target.ledger);
    if (right !== undefined) change(commits, platform.report, ledger, 'token', right === 'read');
  };
  return {
    ...listed,
    take: (listing) => {
      listed.take(listing);
      if (isKnown && !listing.anew) return;
      isKnown = true;
      look().catch((cause) => (signal.aborted ? undefined : platform.report(cause)));
    },
  };
};

/** Returns the right that a token claims; only the gateway verifies it. */
function rightIn(token: string, ledger: string): unknown {
  try {
    const body = (token.split('.')[1] ?? '').replaceAll('-', '+').replaceAll('_', '/');
    const { ledgers } = JSON.parse(atob(body)) as { ledgers: { id: unknown; right: unknown }[] };
    return ledgers.find(({ id }) => id === ledger)?.right;
  } catch {
    return undefined;
  }
}

/** Adds or removes the row of a ledger. A reason removes only its own row. */
function change(
  commits: Commits,
  report: (error: unknown) => void,
  ledger: string,
  reason: Reason,
  isReader: boolean,
): void {
  const rights = rightsOf(commits);
  const name = `${ROWS}${ledger}`;
  rights.last = rights.last
    .then(async () => {
      const bytes = await commits.local.read(name);
      const known = bytes && textOf(bytes);
      if (isReader ? known !== undefined : known !== reason) return;
      await commits.local.write([{ name, bytes: isReader ? utf8(reason) : undefined }]);
      if (!isReader) for (const tell of rights.listeners) tell();
    })
    // The next process reads the row again.
    .catch((cause) => isFixpointError(cause, 'DATABASE_CLOSED') || report(cause));
}
