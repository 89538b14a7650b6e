import { FixpointError } from '@fixpoint/protocol';
import { describe, expect, test } from 'vitest';
import { sealedEntry } from '../../../tests/cloud.fixture.ts';
import { removeUnnamed } from '../../tables/sync/ledger-objects.ts';
import { markFaulty } from '../../tables/sync/withheld-rows.ts';
import type { GatewayParts } from '../gateway-types.ts';
import { ledgerWithStore } from './care.fixture.ts';
import { withEntryChecks } from './entry-checks.ts';

type Request = Parameters<typeof withEntryChecks>[2];
type Checks = Parameters<Parameters<typeof withEntryChecks>[3]>[0];
type Entry = ReturnType<typeof sealedEntry>;

/** A ledger whose store has one archive, and a function that checks entries for it. */
async function checking() {
  const world = await ledgerWithStore();
  const { db, presence, id, nameOf, entryOf, stored } = world;
  stored.add(nameOf('here'));
  const parts = { db, presence } as unknown as GatewayParts;
  const check = async (
    metas: readonly Entry[],
    { objects, index, store }: { objects?: string[]; index?: string; store?: () => Promise<void> } = {},
  ) => {
    const seen: Checks[] = [];
    const urlParam = { ...id, store: 'meta', key: 'main', ...(index !== undefined && { index }) };
    const request = { meta: { metas, keys: [] }, urlParam, ...(objects && { objects }) };
    await withEntryChecks(parts, id, request as unknown as Request, async (checks) => {
      seen.push(checks);
      await store?.();
    });
    return seen;
  };
  const [whole, broken] = [entryOf('here'), entryOf('lost')];
  return { ...world, check, whole, broken, here: nameOf('here'), lost: nameOf('lost') };
}
const outdated = () =>
  new FixpointError('MISSING_CARS', 'objects were removed', { cause: { isOutdated: true } });

describe('an entry that is put', () => {
  test('is stored with a list of the archives that it needs', async () => {
    const { check, whole, here } = await checking();
    const [checks] = await check([whole]);
    expect([...(checks?.needs ?? [])]).toEqual([[whole.cid, { objects: [here], tells: 'cars' }]]);
    expect([checks?.files, checks?.removals]).toEqual([[], 0]);
  });

  test('[R13] is rejected if archives are missing in the store, and the error lists these archives', async () => {
    const { check, whole, broken, lost } = await checking();
    await expect(check([whole, broken])).rejects.toMatchObject({
      code: 'MISSING_CARS',
      cause: { objects: [lost] },
    });
  });

  test('[R13] is rejected when its archive in the store is damaged', async () => {
    const { check, whole, here, db, id, now } = await checking();
    await markFaulty(db, id.ledger, here, now());
    await expect(check([whole])).rejects.toMatchObject({ code: 'MISSING_CARS', cause: { objects: [here] } });
  });

  test('[R13] has its archives looked up each time, because an archive may vanish at any moment', async () => {
    const { check, whole, here, stored } = await checking();
    await check([whole]);
    stored.delete(here);
    await expect(check([whole])).rejects.toMatchObject({ code: 'MISSING_CARS' });
  });

  test('[R4] is rejected if no client could read it, and the error contains its index and CID', async () => {
    const { check, whole } = await checking();
    await expect(check([whole, { ...whole, cid: 'bad' }])).rejects.toMatchObject({
      code: 'REQUEST_INVALID',
      message: expect.stringMatching(/meta\.metas\.1.*bad/),
    });
  });

  test('is accepted when its archives are in the store of its index', async () => {
    const { check, broken, lost, stored } = await checking();
    const ofIndex = lost.replace('car/', 'car.idx/');
    stored.add(ofIndex);
    await expect(check([broken])).rejects.toMatchObject({ code: 'MISSING_CARS' });
    const [checks] = await check([broken], { index: 'idx' });
    expect(checks?.needs?.get(broken.cid)?.objects).toEqual([ofIndex]);
  });

  test('is optional in a put: a put with only keys causes no lookup', async () => {
    const { check, lookups } = await checking();
    expect([await check([]), lookups]).toEqual([[{}], []]);
  });
});

describe('the list of objects that a client sends with its entry', () => {
  test('is recorded as all objects that the entry needs', async () => {
    const { check, stored, here } = await checking();
    stored.add('car/s1').add('file/one');
    const entry = sealedEntry('content');
    const [checks] = await check([entry], { objects: [here, 'car/s1', 'file/one'] });
    expect(checks?.needs?.get(entry.cid)).toEqual({ objects: [here, 'car/s1'], tells: 'all' });
    expect(checks?.files).toEqual(['file/one']);
  });

  test('is the only source for the objects that a sealed entry needs', async () => {
    const { check } = await checking();
    const entry = sealedEntry('content');
    expect((await check([entry]))[0]?.needs?.get(entry.cid)).toEqual({ objects: [], tells: 'nothing' });
  });

  test('[R13] rejects the entry if an archive or file on the list is missing', async () => {
    const { check, whole, here } = await checking();
    await expect(check([whole], { objects: [here, 'car/s1', 'file/one'] })).rejects.toMatchObject({
      code: 'MISSING_CARS',
      cause: { objects: ['car/s1', 'file/one'] },
    });
  });

  test.each(['meta/main', 'car/../../other', 'car/', 'wal/x', 'car/a/b', ''])(
    "[S2] can't include %j, which isn't the name of an object in the ledger",
    async (name) => {
      const { check, whole, here } = await checking();
      await expect(check([whole], { objects: [here, name] })).rejects.toMatchObject({
        code: 'REQUEST_INVALID',
        message: expect.stringContaining('objects.1'),
      });
    },
  );

  test('[R10] allows at most 2000 names', async () => {
    const { check, whole, stored } = await checking();
    const objects = Array.from({ length: 2000 }, (_, n) => `car/s${n}`);
    for (const name of objects) stored.add(name);
    await check([whole], { objects });
    await expect(check([whole], { objects: [...objects, 'car/more'] })).rejects.toMatchObject({
      code: 'REQUEST_INVALID',
    });
  });

  test('[R10] causes an error that lists at most 100 missing objects', async () => {
    const { check, whole } = await checking();
    const objects = Array.from({ length: 300 }, (_, n) => `car/s${n}`);
    const refusal = await check([whole], { objects }).catch((cause: unknown) => cause);
    expect((refusal as { cause: { objects: string[] } }).cause.objects).toHaveLength(100);
  });

  test('[R11] causes at most one lookup of each object per minute, however many entries list the object', async () => {
    const { check, whole, here, lookups, clock, stored } = await checking();
    stored.add('car/s1');
    const objects = [here, 'car/s1'];
    await check([whole], { objects });
    lookups.length = 0;
    clock.ms += 59_000;
    await check([whole], { objects });
    expect(lookups).toEqual([here]);
    clock.ms += 2000;
    await check([whole], { objects });
    expect(lookups).toContain('car/s1');
  });
});

describe('withEntryChecks, when an object is removed during the check', () => {
  test('[R13] repeats the check, and stores the entry if its archives are still in the store', async () => {
    const { check, whole, db, id, now } = await checking();
    let tries = 0;
    const seen = await check([whole], {
      store: async () => {
        tries += 1;
        if (tries > 1) return;
        await removeUnnamed(db, id.ledger, 'wal/x', now(), async () => true);
        throw outdated();
      },
    });
    expect(seen.map(({ removals }) => removals)).toEqual([0, 1]);
  });

  test('[R13] rejects the entry when the removed object was its archive', async () => {
    const { check, whole, stored, here } = await checking();
    const store = async () => {
      stored.delete(here);
      throw outdated();
    };
    await expect(check([whole], { store })).rejects.toMatchObject({
      code: 'MISSING_CARS',
      cause: { objects: [here] },
    });
  });

  test('gives up after five tries', async () => {
    const { check, whole } = await checking();
    let tries = 0;
    const store = async () => {
      tries += 1;
      throw outdated();
    };
    await expect(check([whole], { store })).rejects.toMatchObject({ code: 'MISSING_CARS' });
    expect(tries).toBe(5);
  });

  test.each(['MISSING_CARS', 'LIMIT_REACHED', 'CONFLICT'] as const)(
    'does not repeat a put that fails with %s',
    async (name) => {
      const { check, whole } = await checking();
      let tries = 0;
      const store = async () => {
        tries += 1;
        throw new FixpointError(name, 'for another reason');
      };
      await expect(check([whole], { store })).rejects.toMatchObject({ code: name });
      expect(tries).toBe(1);
    },
  );
});

describe('a store that does not answer', () => {
  test('[R3] prevents storing an entry', async () => {
    const { check, whole, store } = await checking();
    store.isDown = true;
    let isStored = false;
    const put = check([whole], {
      store: async () => {
        isStored = true;
      },
    });
    await expect(put).rejects.toThrow('the store does not answer');
    expect(isStored).toBe(false);
  });
});
