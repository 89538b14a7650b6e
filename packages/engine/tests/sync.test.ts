import { describe, expect, test } from 'vitest';
import { contentOf, world } from './sync-world.fixture.ts';

describe('sync', () => {
  test('two databases become equal, live, both ways', async () => {
    const { time, replica } = world();
    const [a, b] = [replica(), replica()];
    const [syncA, syncB] = [await a.attach(), await b.attach()];
    await a.db.put({ _id: 'from-a', x: 1 });
    await time.run(syncA.synced());
    await time.run(syncB.synced());
    expect(await b.db.get('from-a')).toEqual({ _id: 'from-a', x: 1 });

    await b.db.put({ _id: 'from-b', x: 2 });
    await time.until(async () => (await a.db.allDocs()).rows.length === 2);
    expect(await contentOf(a.db)).toEqual(await contentOf(b.db));
    await time.until(() => syncA.status().state === 'in-sync' && syncB.status().state === 'in-sync');
    expect(syncA.status()).toEqual({ state: 'in-sync', toSend: 0, toFetch: 0 });
  });
});
