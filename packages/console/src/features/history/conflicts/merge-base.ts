/** Finds the version of a document that concurrent versions have in common. */
import { isFixpointError } from '@fixpoint/protocol';
import type { Database, Stored } from 'fixpoint';

const PAGE = 200;
/** Older bases aren't looked for: the user then decides every field that differs. */
const EVENTS_MAX = 10_000;
const [FIRST, SECOND, BOTH] = [1, 2, 3];

/** `stored` is undefined if the document didn't exist. */
export interface CommonBase {
  readonly stored: Stored | undefined;
}

/**
 * Returns the document as the newest event that both events follow left it. Returns undefined if
 * that state is no longer on this device, or too old. @throws FixpointError; the signal's reason
 */
export async function commonBase(
  database: Pick<Database, 'events' | 'at'>,
  id: string,
  [first, second]: readonly [string, string],
  signal: AbortSignal,
): Promise<CommonBase | undefined> {
  const followed = new Map([
    [first, FIRST],
    [second, SECOND],
  ]);
  let after: string | undefined;
  for (let count = 0; count < EVENTS_MAX; count += PAGE) {
    // Each event is listed before the events that it follows.
    const page = await database.events({ limit: PAGE, after, signal });
    for (const { event, parents } of page) {
      const by = followed.get(event) ?? 0;
      if (by === BOTH) return stateAt(database, id, event);
      if (by > 0) for (const parent of parents) followed.set(parent, (followed.get(parent) ?? 0) | by);
    }
    if (page.length < PAGE) return { stored: undefined };
    after = page.at(-1)?.event;
  }
  return undefined;
}

async function stateAt(
  database: Pick<Database, 'at'>,
  id: string,
  event: string,
): Promise<CommonBase | undefined> {
  try {
    const { rows } = await database.at([event]).allDocs({ key: id });
    return { stored: rows[0]?.value };
  } catch (cause) {
    if (isFixpointError(cause, 'HISTORY_COMPACTED')) return undefined;
    throw cause;
  }
}
