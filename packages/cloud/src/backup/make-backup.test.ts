import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { LIMITS } from '@fixpoint/protocol';
import { describe, expect, onTestFinished, test } from 'vitest';
import { newLedger, temporaryFolder } from '../../tests/cloud.fixture.ts';
import { freeObjects } from '../maintenance/free-objects.ts';
import { openBucket } from '../objects/bucket.ts';
import { openDiskObjects } from '../objects/disk-objects.ts';
import { folderInventory } from '../objects/folder-inventory.ts';
import type { ObjectInventory } from '../objects/inventory.ts';
import { faultyBucket } from '../objects/memory-bucket.fixture.ts';
import { insertRemovedLedgers } from '../tables/ledgers/removed-ledgers.ts';
import { openTables } from '../tables/open-tables.ts';
import { nameObjects, removeUnnamed } from '../tables/sync/ledger-objects.ts';
import { createCloudTokens, newSigningKey } from '../tokens/cloud-tokens.ts';
import { bucketPlace, folderPlace, MANIFEST } from './backup-place.ts';
import { type BackupParts, makeBackup } from './make-backup.ts';
import { openBackup, verifyBackup } from './read-backup.ts';

const SECRETS = JSON.stringify({ auth: [], objects: 'ab', tokens: [] });

async function arranged() {
  const [data, backups] = [await temporaryFolder(), await temporaryFolder()];
  const clock = { ms: Date.UTC(2026, 10, 28) };
  const now = () => clock.ms;
  const tables = await openTables(undefined, data, () => undefined);
  onTestFinished(() => tables.db.destroy());
  const tokens = await createCloudTokens([await newSigningKey()], now);
  const { tenant, ledger } = await newLedger({ db: tables.db, tokens });
  const folder = join(data, 'objects');
  const stored = await openDiskObjects(folder, () => undefined, now);
  const pathOf = (name: string) => `${tenant}/${ledger}/${name}`;
  const put = (name: string) => stored.write(pathOf(name), bytesOf(name));
  const inventory = folderInventory(folder);
  const parts: BackupParts = {
    tables,
    objects: inventory,
    secrets: SECRETS,
    place: folderPlace(backups),
    secret: undefined,
    now,
  };
  /** Returns an inventory that runs `work` before it opens the first object. */
  const interrupted = (work: () => Promise<unknown>): ObjectInventory => {
    let done: Promise<unknown> | undefined;
    return {
      ...inventory,
      open: async (place) => {
        done ??= work();
        await done;
        return inventory.open(place);
      },
    };
  };
  return { db: tables.db, backups, clock, now, parts, stored, pathOf, put, tenant, ledger, interrupted };
}

async function* bytesOf(text: string): AsyncIterable<Uint8Array> {
  yield Buffer.from(text);
}

async function objectsIn({ place }: BackupParts): Promise<string[]> {
  const { records } = await openBackup(place, undefined, undefined, Date.UTC(2026, 10, 29));
  const found: string[] = [];
  for await (const record of records()) if (record.is === 'object') found.push(String(record.bytes));
  return found.sort();
}

describe('objects that are removed while a backup copies them', () => {
  test('keeps them until the backup has ended, if a client deletes them', async () => {
    const { db, now, parts, stored, pathOf, put, ledger, interrupted } = await arranged();
    await put('car/a');
    await put('car/b');
    const remove = () => removeUnnamed(db, ledger, 'car/b', now(), () => stored.remove(pathOf('car/b')));
    const outcomes: string[] = [];
    const objects = interrupted(async () => outcomes.push(await remove()));
    await makeBackup({ ...parts, objects });
    expect(outcomes).toEqual(['kept']);
    expect(await objectsIn(parts)).toEqual(['car/a', 'car/b']);
    expect(await remove()).toBe('removed');
  });

  test('keeps them until the backup has ended, if their ledger is deleted', async () => {
    const { db, now, parts, stored, pathOf, put, tenant, ledger, interrupted } = await arranged();
    await put('car/a');
    const objects = { removeLedger: () => stored.removeLedger(`${tenant}/${ledger}`) };
    const freeing = freeObjects({ db, objects, now, report: (error) => Promise.reject(error) });
    onTestFinished(freeing.stop);
    const deleted = async () => {
      await insertRemovedLedgers(db, [{ tenantId: tenant, ledgerId: ledger }], '2026-11-28');
      await db.deleteFrom('Ledgers').where('ledgerId', '=', ledger).execute();
      await freeing.sweep();
    };
    await makeBackup({ ...parts, objects: interrupted(deleted) });
    expect(await objectsIn(parts)).toEqual(['car/a']);
    expect(await stored.has(pathOf('car/a'))).toBe(true);
    await freeing.sweep();
    expect(await stored.has(pathOf('car/a'))).toBe(false);
  });

  test('copies named objects that the list lacks, because a repair replaced them while it was read', async () => {
    const { db, parts, put, ledger } = await arranged();
    await put('car/a');
    await put('car/b');
    await nameObjects(db, ledger, ['car/a', 'car/b', 'car/gone'], '2026-11-28');
    const lists: ObjectInventory = {
      ...parts.objects,
      places: async function* (of) {
        for await (const place of parts.objects.places(of)) {
          yield place;
          return;
        }
      },
    };
    const { missing, objectCount } = await makeBackup({ ...parts, objects: lists });
    expect({ missing, objectCount }).toEqual({ missing: 1, objectCount: 2 });
    expect(await objectsIn(parts)).toEqual(['car/a', 'car/b']);
  });
});

describe('a backup', () => {
  test('is rejected while another one runs, and fails without a trace if it was interrupted for too long', async () => {
    const { clock, parts, put, interrupted } = await arranged();
    await put('car/a');
    const second: unknown[] = [];
    const objects = interrupted(async () => {
      second.push(await makeBackup(parts).catch((cause) => cause.code));
      clock.ms += 600_000;
    });
    await expect(makeBackup({ ...parts, objects })).rejects.toMatchObject({ code: 'STORE_FAILED' });
    expect(second).toEqual(['CONFLICT']);
    expect(await parts.place.ids()).toEqual([]);
  });

  test('is incomplete until its manifest exists, and leaves nothing when it is stopped', async () => {
    const { parts, put, interrupted } = await arranged();
    await put('car/a');
    const ending = new AbortController();
    const seen: unknown[] = [];
    const objects = interrupted(async () => {
      for (const id of await parts.place.ids()) seen.push((await parts.place.sizes(id)).get(MANIFEST));
      ending.abort(new Error('stopped'));
    });
    await expect(makeBackup({ ...parts, objects, signal: ending.signal })).rejects.toThrow('stopped');
    expect(seen.filter((manifest) => manifest !== undefined)).toEqual([]);
    expect(await parts.place.ids()).toEqual([]);
    await makeBackup(parts);
    expect(await parts.place.ids()).toHaveLength(1);
  });

  test('is read back from a bucket if it contains the largest object, encrypted', async () => {
    const { parts, stored, pathOf, put } = await arranged();
    await put('car/a');
    await stored.write(pathOf('file/large'), largest());
    const { config, objects } = await faultyBucket(() => 'pass');
    const place = bucketPlace(openBucket(config, parts.now), 'backups');
    const secret = { kind: 'key', bytes: Buffer.alloc(32, 1) } as const;
    const made = await makeBackup({ ...parts, place, secret });
    expect(made.objectBytes).toBe(LIMITS.objectBytesMax + 'car/a'.length);
    expect(Math.max(...made.parts.map(({ bytes }) => bytes))).toBeLessThan(LIMITS.objectBytesMax + 1000);
    const opened = await openBackup(place, undefined, secret, parts.now());
    await verifyBackup(opened, parts.objects.isPlace);
    await expect(verifyBackup(opened, () => false)).rejects.toThrow('an object with an impossible place');
    // The answer to an upload may be lost, so that the same bytes are sent again.
    const large = [...objects].find(([, { bytes }]) => bytes.length > LIMITS.objectBytesMax);
    const [key = '', { bytes } = { bytes: Buffer.alloc(0) }] = large ?? [];
    await place.write(made.id, key.split('/').at(-1) ?? '', bytes);
  });

  test('fails if its place lost a part, and leaves nothing', async () => {
    const { backups, parts, put, interrupted } = await arranged();
    await put('car/a');
    const [{ place }, lost] = [parts, [] as string[]];
    const losing = {
      ...place,
      write: async (id: string, name: string, bytes: Buffer) => {
        await place.write(id, name, bytes);
        if (name.startsWith('part-')) await rm(join(backups, id, name));
        lost.push(name);
      },
    };
    const made = makeBackup({ ...parts, place: losing, objects: interrupted(async () => undefined) });
    await expect(made).rejects.toThrow('the place lost parts of the backup');
    expect(lost).toEqual(['server', 'part-000001']);
    expect(await readdir(backups)).toEqual([]);
  });

  test('requires the folder of all backups, and never creates it', async () => {
    const { backups, parts } = await arranged();
    const missing = join(backups, 'mounted');
    const made = makeBackup({ ...parts, place: folderPlace(missing) });
    await expect(made).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringContaining("of the backups doesn't exist"),
    });
    await expect(folderPlace(missing).ids()).rejects.toThrow("doesn't exist");
    expect(await readdir(backups)).toEqual([]);
  });

  test('skips and counts objects whose places a restore would reject', async () => {
    const { parts, put } = await arranged();
    await put('car/a');
    const { objects } = parts;
    const odd: ObjectInventory = {
      ...objects,
      places: async function* (of) {
        yield* objects.places(of);
        yield '../lost+found';
      },
    };
    expect(await makeBackup({ ...parts, objects: odd })).toMatchObject({
      objectCount: 1,
      missing: 0,
      skipped: 1,
    });
    expect(await objectsIn(parts)).toEqual(['car/a']);
  });
});

async function* largest(): AsyncIterable<Uint8Array> {
  for (let part = 0; part < 64; part += 1) yield Buffer.alloc(LIMITS.objectBytesMax / 64, part);
}
