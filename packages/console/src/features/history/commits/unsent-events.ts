import type { Database } from 'fixpoint';

const PAGE = 200;

/**
 * Returns the events that exist only on this device. They are among the newest, so reading ends
 * with the first page without any. @throws FixpointError; the reason of the signal
 */
export async function unsentEvents(
  database: Pick<Database, 'events'>,
  signal: AbortSignal,
): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  let after: string | undefined;
  for (;;) {
    const page = await database.events({ limit: PAGE, after, signal });
    const local = page.filter(({ state }) => state === 'local');
    for (const { event } of local) found.add(event);
    if (local.length === 0 || page.length < PAGE) return found;
    after = page.at(-1)?.event;
  }
}
