/**
 * Remembers on this device up to which head nothing is left to merge, so that opening the database
 * again costs no search of the whole history.
 */
import { textOf, utf8 } from '../base/bytes.ts';
import { sortHead } from '../clock/event.ts';
import { type Cid, parseCid } from '../codec/cid.ts';
import { isGone } from '../commit/reads.ts';
import type { Core } from './core.ts';

const ROW = 'merged';
const VERSION = 1;
/** Number of events that are read after the remembered head before the search is cheaper. */
const EVENTS_MAX = 10_000;
/** Rows are stored together, because each write of the store takes as long as a commit. */
const SAVE_MS = 1000;
/** The row is stored again after this number of events that began no conflict. */
const EVENTS_PER_ROW = 1000;

/** All versions of documents whose ids have these prefixes were merged up to the head. */
export interface Merged {
  readonly head: readonly Cid[];
  readonly prefixes: readonly string[];
  /** Number of events since the stored row. */
  readonly unstored?: number;
}

/** Returns undefined without a valid row. */
export async function readMerged({ commits }: Core): Promise<Merged | undefined> {
  try {
    const bytes = await commits.local.read(ROW);
    const { v, head, prefixes } = JSON.parse(textOf(bytes ?? new Uint8Array())) as Record<string, unknown>;
    if (v !== VERSION || !Array.isArray(head) || !Array.isArray(prefixes)) return undefined;
    return { head: head.map(parseCid), prefixes: prefixes.map(String) };
  } catch {
    return undefined;
  }
}

const unsaved = new WeakMap<Core, { merged: Merged }>();

/** Stores the row soon. Without it, the next search takes longer. */
export function rememberMerged(core: Core, merged: Merged): Merged {
  const waiting = unsaved.get(core);
  if (waiting !== undefined) {
    waiting.merged = merged;
    return merged;
  }
  const own = { merged };
  unsaved.set(core, own);
  const stop = core.platform.time.after(SAVE_MS, () => {
    core.onClosed.delete(stop);
    unsaved.delete(core);
    const bytes = utf8(JSON.stringify({ v: VERSION, ...own.merged }));
    core.commits.local.write([{ name: ROW, bytes }]).catch(() => undefined);
  });
  core.onClosed.add(stop);
  return merged;
}

/**
 * Returns the current head if it needs no search: if each event since the remembered head follows
 * all others. Such events can't begin a conflict.
 */
export async function mergedUpTo(
  core: Core,
  merged: Merged | undefined,
  prefixes: readonly string[],
): Promise<Merged | undefined> {
  if (merged === undefined || !prefixes.every((prefix) => merged.prefixes.includes(prefix))) return undefined;
  const { commits } = core;
  const { head } = commits.snapshot();
  const since = merged.head.join();
  let parents: readonly Cid[] = head;
  for (let count = 0; count < EVENTS_MAX; count++) {
    if (sortHead(parents).join() === since) {
      const unstored = (merged.unstored ?? 0) + count;
      const next = { head, prefixes: merged.prefixes };
      return unstored > EVENTS_PER_ROW ? rememberMerged(core, next) : { ...next, unstored };
    }
    const [only, ...others] = parents;
    if (only === undefined || others.length > 0) return undefined;
    try {
      ({ parents } = await commits.readers.event(only));
    } catch (cause) {
      if (isGone(cause)) return undefined;
      throw cause;
    }
  }
  return undefined;
}
