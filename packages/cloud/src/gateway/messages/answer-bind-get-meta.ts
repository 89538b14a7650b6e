import type { Place } from '../../tables/sync/meta-rows.ts';
import { pairOf } from '../carriers/carrier.ts';
import { checkReported } from '../content/protect-objects.ts';
import { echoOf, metaUrlParam } from '../echo.ts';
import { metaEvent, metaUrl } from '../following/meta-event.ts';
import { withheldFor, withheldMark } from '../following/withheld-news.ts';
import type { Handler } from '../gateway-types.ts';
import { keysMark, listMark, recordNews } from '../keys/key-records.ts';
import { requireLedger } from '../require-ledger.ts';

/** Maximum entries per event. The rest follows in the next events. */
export const EVENT_ENTRIES_MAX = 200;
/** Maximum number of reported objects that the gateway reads per request. It ignores the others. */
const REPORTED_MAX = 5;

/**
 * Answers at once, even without entries. A socket then follows the ledger. Over HTTP the client
 * polls.
 */
export const bindGetMeta: Handler<'bindGetMeta'> = async ({ parts, request, claims, carrier }) => {
  const id = await requireLedger(parts, claims, request.tenant, 'read');
  const writer = pairOf(claims.userId, request.conn);
  const poll = JSON.stringify([writer, id, request.tid]);
  const own = isCursor(request.cursor) ? { cursor: request.cursor, mark: request.mark } : undefined;
  const place = own ?? (carrier.kind === 'http' ? parts.polls.next(poll) : { cursor: 0 });
  const reported = request.faulty ?? [];
  // Clients repeat a report every half minute while they can't read the object.
  const checked = reported
    .slice(0, REPORTED_MAX)
    .filter(() => parts.limits.reports.take(claims.userId) === 0);
  if (checked.length > 0) await checkReported(parts, parts.objects, id, checked);
  const page = await parts.listings.read(id, place, EVENT_ENTRIES_MAX);
  const { cursor, mark, hasMore } = page;
  if (carrier.kind === 'http' && own === undefined) parts.polls.answered(poll, { cursor, mark });
  const head = {
    ...echoOf(request),
    conn: request.conn,
    tenant: id,
    methodParam: { method: 'GET', store: 'meta' },
    urlParam: metaUrlParam(request),
    signedUrl: metaUrl(parts.objects, carrier.origin, id),
  };
  const news = await recordNews(parts.rights, id, page);
  const withheld = await withheldFor(parts, claims.userId, id, page);
  const answer = metaEvent(
    head,
    page,
    { ...news, withheld, rejected: news.rejected.get(claims.userId) ?? [] },
    page.from,
    page.from === 0 && !isOfEmpty(place),
  );
  if (carrier.kind === 'http') return { answer };
  const { userId, apiToken } = claims;
  const who = { userId, ...(apiToken !== undefined && { apiToken }) };
  const keys = { told: `${keysMark(page, news)}${withheldMark(page)}`, list: listMark(page.keys) };
  return {
    answer,
    follow: { ...who, ...id, writer, head, cursor, mark, awaitsMore: hasMore, ...keys },
  };
};

const isCursor = (cursor: number | undefined): cursor is number =>
  cursor !== undefined && Number.isSafeInteger(cursor) && cursor >= 0;

/**
 * Returns whether this is the cursor of an empty ledger. A client that sends it has no entries to
 * drop, so the answer doesn't need `anew`.
 */
const isOfEmpty = ({ cursor, mark }: Place): boolean => cursor === 0 && mark === '';
