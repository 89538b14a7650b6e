/**
 * Sends each follower of a ledger the entries that it lacks. Cuts a follower that may no longer
 * read the ledger.
 */
import type { LedgerRights } from '../../rights/rights.ts';
import type { Db } from '../../tables/connection.ts';
import { type LedgerId, marksAt, type Place } from '../../tables/sync/meta-rows.ts';
import type { Binding } from '../carriers/carrier.ts';
import { keysMark, listMark, type RecordNews, recordNews } from '../keys/key-records.ts';
import { EVENT_ENTRIES_MAX } from '../messages/answer-bind-get-meta.ts';
import type { Listing, Listings } from './listings.ts';
import { type LedgerNews, metaEvent } from './meta-event.ts';
import { withheldFor, withheldMark } from './withheld-news.ts';

export interface Follower {
  send(text: string): void;
  /** Called when the follower lost access, or the ledger was deleted. */
  cut(): void;
}

export interface DeliveryParts {
  readonly db: Db;
  readonly rights: LedgerRights;
  readonly listings: Listings;
}

export interface Following {
  readonly binding: Binding;
  readonly follower: Follower;
  cursor: number;
  /**
   * Identifies the history up to the cursor. Shows whether the tables still have the history that
   * this follower received.
   */
  mark: string | undefined;
  /** Cursor of the last event sent. */
  sent: number;
  /** Whether the follower needs a full listing. */
  isAnew: boolean;
  /**
   * Whether the last event announced more entries. The follower then receives the rest of the
   * listing, with its own entries, and an event that marks the end.
   */
  awaitsMore: boolean;
  /** Changes with the keys that were sent: see `keysMark`. */
  told: string;
  /** Changes with the long list of keys that was sent: see `listMark`. */
  list: string;
}

/** The followers of one ledger. */
export interface Channel {
  readonly id: LedgerId;
  readonly followings: Set<Following>;
  /**
   * The place up to which all followers have every entry. Undefined while that is unknown; the next
   * sweep then reads the rows.
   */
  seen: Place | undefined;
  running: Promise<void> | undefined;
  again: boolean;
}

/** Returns the state of a follower that starts at the binding's cursor. */
export const followingOf = (binding: Binding, follower: Follower): Following => ({
  binding,
  follower,
  cursor: binding.cursor,
  mark: binding.mark,
  sent: binding.cursor,
  isAnew: false,
  awaitsMore: binding.awaitsMore ?? false,
  told: binding.told ?? '',
  list: binding.list ?? '',
});

export const isSame = (one: Place, other: Place | undefined): boolean =>
  one.cursor === other?.cursor && one.mark === other.mark;

/**
 * Reads all entries that the slowest follower lacks, page by page, and sends each follower those
 * that it lacks. Returns the number of events sent.
 */
export async function deliver(parts: DeliveryParts, channel: Channel): Promise<number> {
  let sent = 0;
  channel.seen = undefined;
  for (;;) {
    // A follower that joins while a page is read may be ahead of that page. A later delivery serves
    // this follower.
    const present = [...channel.followings];
    const [first, ...others] = present;
    if (first === undefined) return sent;
    const slowest = others.reduce((least, one) => (one.cursor < least.cursor ? one : least), first);
    const { cursor, mark } = slowest;
    const page = await parts.listings.read(channel.id, { cursor, mark }, EVENT_ENTRIES_MAX);
    for (const lost of await lostAmong(parts, channel, present, { cursor, mark }, page)) startAgain(lost);
    const keys = await keyNews(parts, channel, page);
    const text = texts(page);
    for (const following of present) {
      if (!channel.followings.has(following) || following.cursor < page.from) continue;
      if (following.cursor === page.cursor) following.mark ??= page.mark;
      const isBehind = following.cursor < page.cursor || following.told !== keys.mark || following.isAnew;
      if (!isBehind || (await cutUnlessEntitled(parts, channel, following))) continue;
      const isTold = following.told === keys.mark;
      const withheld = isTold
        ? undefined
        : await withheldFor(parts, following.binding.userId, channel.id, page);
      if (send(following, page, { ...keys, withheld }, text)) sent += 1;
    }
    const isLeft = (one: Following) => one.cursor < page.cursor && channel.followings.has(one);
    if (page.hasMore || present.some(isLeft)) continue;
    channel.seen = { cursor: page.cursor, mark: page.mark };
    return sent;
  }
}

/**
 * Returns the followers whose cursors belong to a lost history: the tables were restored from an
 * older copy, or a standby took over. Checks each follower, because a follower that joined later
 * has the new history, and may be behind a follower that has the old history.
 * @param from cursor of the slowest follower, after which the page was read
 */
async function lostAmong(
  { db }: DeliveryParts,
  { id }: Channel,
  present: readonly Following[],
  from: Place,
  page: Listing,
): Promise<readonly Following[]> {
  const isLost = page.from < from.cursor;
  const within = present.filter(
    (one) => one.cursor < page.cursor && one.mark !== undefined && !isSame(one, from),
  );
  const marks = within.length === 0 ? undefined : await marksAt(db, id.ledger, cursorsOf(within));
  return present.filter((one) => {
    const { cursor, mark } = one;
    if (isSame(one, from)) return isLost;
    if (cursor > page.cursor) return !page.hasMore;
    if (mark === undefined) return false;
    return mark !== (cursor === page.cursor ? page.mark : (marks?.get(cursor) ?? ''));
  });
}

const cursorsOf = (followings: readonly Following[]) => [...new Set(followings.map(({ cursor }) => cursor))];

/**
 * Restarts a follower with a full listing, including its own entries and all keys, so that the
 * client sees which entries were lost.
 */
function startAgain(following: Following): void {
  following.cursor = 0;
  following.mark = undefined;
  following.sent = 0;
  following.isAnew = true;
  following.list = '';
}

const metaText = ({ rows }: Pick<Listing, 'rows'>, keys: readonly string[]) =>
  JSON.stringify({ metas: rows.map(({ entry }) => entry), keys });

/** Returns the JSON of a page with or without its keys, built once for all followers. */
function texts(page: Listing): (hasList: boolean) => string {
  const made = new Map<boolean, string>();
  return (hasList) => {
    const text = made.get(hasList) ?? metaText(page, hasList ? [] : page.keys);
    made.set(hasList, text);
    return text;
  };
}

interface KeyNews {
  readonly mark: string;
  readonly list: string;
  readonly news: RecordNews;
}

async function keyNews({ rights }: DeliveryParts, { id }: Channel, page: Listing): Promise<KeyNews> {
  const news = await recordNews(rights, id, page);
  const mark = `${keysMark(page, news)}${withheldMark(page)}`;
  return { mark, list: listMark(page.keys), news };
}

/**
 * Sends a follower the entries of a page that are new to it, without its own entries. Sends a long
 * list of keys once. Returns whether an event was sent.
 * @param text the page as {@link texts} returns it
 */
function send(
  following: Following,
  page: Listing,
  { mark, list, news, withheld }: KeyNews & Pick<LedgerNews, 'withheld'>,
  text: (hasList: boolean) => string,
): boolean {
  const { binding, follower, cursor, told } = following;
  const { isAnew } = following;
  const isListing = isAnew || following.awaitsMore;
  const rows = page.rows.filter(
    ({ seq, writer }) => seq > cursor && (isListing || writer !== binding.writer),
  );
  const isEnd = isListing && !page.hasMore;
  following.isAnew = false;
  if (cursor <= page.cursor) Object.assign(following, { cursor: page.cursor, mark: page.mark });
  following.told = mark;
  if (rows.length === 0 && told === mark && !isEnd) return false;
  following.awaitsMore = page.hasMore;
  const hasList = list !== '' && following.list === list;
  following.list = list;
  const { removed, devices } = news;
  const rejected = news.rejected.get(binding.userId) ?? [];
  const toTell = { removed, rejected, withheld, devices: told === mark ? undefined : devices };
  const isWhole = rows.length === page.rows.length;
  const meta = isWhole ? text(hasList) : metaText({ rows }, hasList ? [] : page.keys);
  const { meta: _, ...rest } = metaEvent(binding.head, { ...page, rows }, toTell, following.sent, isAnew);
  following.sent = following.cursor;
  follower.send(`${JSON.stringify(rest).slice(0, -1)},"meta":${meta}}`);
  return true;
}

/**
 * Cuts a follower that may no longer read the ledger. Returns whether the follower was cut.
 * @param ageMs maximum age of the cached right
 */
export async function cutUnlessEntitled(
  { rights }: DeliveryParts,
  { followings }: Channel,
  following: Following,
  ageMs?: number,
): Promise<boolean> {
  const { userId, apiToken, tenant, ledger } = following.binding;
  if ((await rights.accessTo(userId, tenant, ledger, apiToken, ageMs)) !== 'none') return false;
  followings.delete(following);
  following.follower.cut();
  return true;
}
