import type { ObjectStore } from '../objects/object-store.ts';
import type { LedgerId, MetaPage } from '../tables/metas.ts';
import type { Answer } from './handler.ts';

/** The protocol wants a URL in every message about metas. Metas are rows here, so nothing is behind it, and nobody asks. */
export const metaUrl = (objects: ObjectStore, origin: string, id: LedgerId): string =>
  objects.sign('GET', origin, { ...id, store: 'meta', key: 'main' });

/** What a receiver gets of a page. @param after the cursor of what it got before */
export const metaEvent = (
  head: Readonly<Record<string, unknown>>,
  { rows, keys, cursor, mark, kind, hasMore }: MetaPage,
  removed: readonly string[],
  after: number,
): Answer =>
  ({
    ...head,
    type: 'eventGetMeta',
    meta: { metas: rows.map(({ entry }) => entry), keys },
    cursor,
    ...(mark !== '' && { mark }),
    after,
    ...(hasMore && { more: true }),
    ...(kind && { kind }),
    ...(removed.length > 0 && { removed }),
  }) as unknown as Answer;
