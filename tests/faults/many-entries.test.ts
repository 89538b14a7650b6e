/** Ledgers with more entries than one event of the real gateway holds. */
import { expect, test } from 'vitest';
import { EVENT_ENTRIES_MAX } from '../../packages/cloud/src/gateway/messages/bind-get-meta.ts';
import { putMetas, readMetas } from '../../packages/cloud/src/tables/metas.ts';
import { encodeBlock } from '../../packages/engine/src/codec/block.ts';
import { decodeMetaEntry, encodeMetaEntry } from '../../packages/engine/src/sync/meta-entry.ts';
import type { Replica } from '../../packages/engine/tests/sync-world.fixture.ts';
import { gatewayWorld } from './gateway-world.fixture.ts';

const OTHERS = 2 * EVENT_ENTRIES_MAX + 50;
const has = async ({ db }: Replica, id: string) => (await db.allDocs()).rows.some(({ key }) => key === id);

test.each([
  ['over sockets', true],
  ['by polling', false],
] as const)(
  '[R13] %s a replica is in sync when it took in the last of them, and not before',
  async (_, isStreamOffered) => {
    const here = await gatewayWorld();
    const { time, db } = here;
    here.offerStream(isStreamOffered);
    const { notes, replica } = await here.ledger(1);
    const [a, b] = [replica(), replica()];
    const syncA = await a.attach();
    await a.db.put({ _id: 'first' });
    await time.run(syncA.synced());
    const { rows, keys } = await readMetas(db, notes, 0, 1);
    const group = rows.flatMap(({ entry }) => decodeMetaEntry(entry).group);
    for (let n = 0; n < OTHERS; n++)
      await putMetas(
        db,
        notes,
        `writer ${n}`,
        { metas: [encodeMetaEntry(group, [encodeBlock({ n }).cid])], keys },
        0,
      );
    await a.db.put({ _id: 'newest' });
    await time.run(syncA.synced());

    const syncB = await b.attach();
    await time.run(syncB.synced());
    expect(await has(b, 'newest')).toBe(true);

    b.line.set('cut');
    await a.db.put({ _id: 'while away' });
    await time.run(syncA.synced());
    b.line.set('up');
    let wasThere: Promise<boolean> | undefined;
    const stop = syncB.onStatus(({ state }) => {
      if (state === 'in-sync') wasThere ??= has(b, 'while away');
    });
    await time.run(syncB.synced());
    stop();
    expect(await wasThere).toBe(true);
    if (isStreamOffered) {
      const before = b.line.passed();
      await time.run(syncB.synced());
      // A question and its answer: what was handed over does not come again.
      expect(b.line.passed() - before).toBe(2);
    }
    expect(here.reports).toEqual([]);
  },
);
