/** Describes to clients the entries that aren't listed. */
import type { WithheldEntry } from '@fixpoint/protocol/storage';
import { readStanding } from '../../rights/standing.ts';
import type { Db } from '../../tables/connection.ts';
import type { LedgerId } from '../../tables/sync/meta-rows.ts';
import type { WithheldMeta } from '../../tables/sync/withheld-rows.ts';
import type { Listing } from './listings.ts';

type News = Pick<Listing, 'withheld' | 'missingFiles'>;

/**
 * Maximum total length of the withheld entries in an event, in characters. The rest follows once
 * some of them are repaired.
 */
const CHARS_MAX = 200_000;

/** Returns a short text that changes with the withheld entries; empty when there are none. */
export function withheldMark({ withheld, missingFiles }: News): string {
  if (withheld.length === 0 && missingFiles.length === 0) return '';
  return `|${withheld.map(({ cid, why }) => `${why}:${cid}`).join()}|${missingFiles.join()}`;
}

/** Returns which entries are withheld and why. Admins also see who put them. */
export async function withheldFor(
  { db }: { readonly db: Db },
  userId: string,
  { tenant, ledger }: LedgerId,
  { withheld, missingFiles }: News,
): Promise<readonly WithheldEntry[]> {
  if (withheld.length === 0 && missingFiles.length === 0) return [];
  const isAdmin = (await readStanding(db, userId, tenant, ledger))?.role === 'admin';
  const news = withheld.map((each) => newsOf(each, isAdmin));
  if (missingFiles.length > 0) news.push({ cid: '', why: 'files', objects: [...missingFiles] });
  return fitting(news);
}

function newsOf({ cid, why, entry, author, objects, since }: WithheldMeta, isAdmin: boolean): WithheldEntry {
  return {
    cid,
    why,
    ...(why === 'absent' && { entry, objects: [...objects] }),
    ...(since !== '' && { since }),
    ...(isAdmin && author !== undefined && { author }),
  };
}

function fitting(news: readonly WithheldEntry[]): readonly WithheldEntry[] {
  let chars = 0;
  return news.filter((each) => {
    chars += JSON.stringify(each).length;
    return chars <= CHARS_MAX;
  });
}
