import type { WithheldEntry } from '@fixpoint/protocol/storage';
import type { ObjectStore } from '../../objects/object-store.ts';
import { type LedgerId, type MetaPage, receivedOf } from '../../tables/sync/meta-rows.ts';
import type { Answer } from '../gateway-types.ts';
import type { RecordNews } from '../keys/key-records.ts';

/**
 * Returns the URL that the protocol requires in every message about metas. This server stores metas
 * as rows, so the URL leads nowhere, and no client fetches it.
 */
export const metaUrl = (objects: ObjectStore, origin: string, id: LedgerId): string =>
  objects.sign('GET', origin, { ...id, store: 'meta', key: 'main' });

/** The fields of an event about the ledger itself. */
export interface LedgerNews {
  readonly removed: readonly string[];
  /** The rejected requests of the receiver's user. */
  readonly rejected: readonly string[];
  /** Undefined when the receiver already has it. */
  readonly withheld: readonly WithheldEntry[] | undefined;
  /** Undefined when the receiver already has it. */
  readonly devices: RecordNews['devices'] | undefined;
}

/**
 * Builds the event that sends a page to a receiver.
 * @param after cursor of the previous event
 * @param isAnew whether a full listing begins with this event
 */
export const metaEvent = (
  head: Readonly<Record<string, unknown>>,
  { rows, keys, cursor, mark, kind, movedTo, hasMore }: MetaPage,
  { removed, rejected, withheld, devices }: LedgerNews,
  after: number,
  isAnew: boolean,
): Answer =>
  ({
    ...head,
    type: 'eventGetMeta',
    meta: { metas: rows.map(({ entry }) => entry), keys },
    ...(rows.length > 0 && { received: receivedOf(rows) }),
    cursor,
    mark,
    after,
    ...(isAnew && { anew: true }),
    ...(hasMore && { more: true }),
    ...(kind && { kind }),
    ...(movedTo && { movedTo }),
    ...(removed.length > 0 && { removed }),
    ...(rejected.length > 0 && { rejected }),
    ...(withheld && { withheld }),
    ...(kind === 'sealed' && devices && { devices }),
  }) as unknown as Answer;
