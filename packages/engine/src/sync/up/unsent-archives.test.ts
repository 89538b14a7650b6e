import { FixpointError } from '@fixpoint/protocol';
import { describe, expect, test } from 'vitest';
import type { Cid } from '../../codec/cid.ts';
import { code, full } from '../../commit/head.fixture.ts';
import { sessionOver, write } from '../session.fixture.ts';
import { unlessGone, unsentFinder } from './unsent-archives.ts';

/** Creates a database of some commits, with one archive for each commit. */
async function written(count = 3) {
  const world = await sessionOver();
  const { commits, memory, session } = world;
  for (let n = 0; n < count; n++) await write(commits, [`doc-${n % 4}`, n]);
  const sent = async (...archives: readonly Cid[]) => {
    const rows = memory.rowsOfSent(archives);
    await commits.markUploaded(archives, rows);
    memory.learned(rows);
  };
  return { ...world, find: unsentFinder(session), sent };
}

describe('archives to send', () => {
  test('includes all archives of a database that never synced', async () => {
    const { find, commits } = await written();
    expect(await find()).toEqual(commits.archiveIds());
  });

  test('includes only the archives of a new commit when the remote has all others', async () => {
    const { find, commits, sent } = await written();
    await sent(...commits.archiveIds());
    expect(await find()).toEqual([]);
    const before = commits.archiveIds();
    await write(commits, ['new', 1]);
    expect(await find()).toEqual(commits.archiveIds().filter((cid) => !before.includes(cid)));
  });

  test('[R17] excludes an archive that came from the remote, until the remote loses the archive', async () => {
    const { find, commits, memory } = await written();
    const [given, ...others] = commits.archiveIds() as [Cid, ...Cid[]];
    memory.given(given);
    expect(await find()).toEqual(others);
    // The remote lost the archive.
    memory.forget([given]);
    expect(await find()).toEqual(commits.archiveIds());
  });

  test('excludes an archive that the remote has as part of a group', async () => {
    const { find, commits, memory } = await written();
    const [one] = commits.archiveIds() as [Cid];
    memory.learned(memory.rowsOfGroups([[one]], 'live', 1));
    expect(await find()).not.toContain(one);
  });
});

describe('archives that compaction merged', () => {
  test('[R17] counts a merged archive as sent when all of its source archives were sent', async () => {
    const { find, commits, sent, memory, values } = await written(30);
    await sent(...commits.archiveIds());
    await commits.compact();
    expect(commits.archiveIds().length).toBeLessThan(10);
    expect(await find()).toEqual([]);
    for (const cid of commits.archiveIds()) {
      expect(memory.holds(cid)).toBe(true);
      expect(values.has(`${memory.prefix}sent/${cid}`)).toBe(true);
    }
    expect((await commits.pendingUploads()).length).toBe(0);
  });

  test('forgets the rows of archives that compaction removed', async () => {
    const { find, commits, sent, memory } = await written(30);
    await sent(...commits.archiveIds());
    await commits.compact();
    await find();
    expect(memory.sentArchives().toSorted()).toEqual([...commits.archiveIds()].toSorted());
  });

  test('[R17] includes a merged archive when one of its source archives was not sent', async () => {
    const { find, commits, sent } = await written(30);
    const [, ...others] = commits.archiveIds() as [Cid, ...Cid[]];
    await sent(...others);
    await commits.compact();
    const unsent = await find();
    expect(unsent.length).toBeGreaterThan(0);
    expect(unsent.every((cid) => commits.hasArchive(cid))).toBe(true);
  });

  test('[R3] counts no archive as sent when the rows cannot be stored, and tries again at the next call', async () => {
    const { find, commits, sent, memory, failOnce } = await written(30);
    await sent(...commits.archiveIds());
    await commits.compact();
    failOnce('write', full);
    await expect(find()).rejects.toThrow(code('STORE_FULL'));
    expect(commits.archiveIds().some(memory.holds)).toBe(false);
    expect(await find()).toEqual([]);
  });
});

describe('archives that compaction removes during the check', () => {
  test('skips an archive that is missing because compaction merged it into another archive', async () => {
    const { session, commits } = await written();
    const [first, ...others] = commits.archiveIds() as [Cid, ...Cid[]];
    const firstBlockOf = async (cid: Cid) => {
      if (cid === first) throw new FixpointError('MISSING_CARS', cid);
      return commits.firstBlockOf(cid);
    };
    const find = unsentFinder({ ...session, commits: { ...commits, firstBlockOf } });
    expect(await find()).toEqual(others);
  });

  test('[R4] rejects with CORRUPT when an archive is damaged', async () => {
    const { session, commits } = await written();
    const firstBlockOf = () => Promise.reject(new FixpointError('CORRUPT', 'damaged'));
    const find = unsentFinder({ ...session, commits: { ...commits, firstBlockOf } });
    await expect(find()).rejects.toThrow(code('CORRUPT'));
  });

  test('counts an archive as gone only when reading fails with MISSING_CARS', async () => {
    expect(await unlessGone(async () => 1)).toBe(1);
    expect(await unlessGone(() => Promise.reject(new FixpointError('MISSING_CARS')))).toBeUndefined();
    await expect(unlessGone(() => Promise.reject(new FixpointError('STORE_FAILED')))).rejects.toThrow(
      code('STORE_FAILED'),
    );
  });

  test('reads no whole archive', async () => {
    const { session, commits } = await written();
    const whole = () => Promise.reject(new Error('read as a whole'));
    const find = unsentFinder({ ...session, commits: { ...commits, blocksOf: whole, plainArchive: whole } });
    expect(await find()).toEqual(commits.archiveIds());
  });

  test('reads the header of each archive only once', async () => {
    const { session, commits } = await written();
    let reads = 0;
    const firstBlockOf = (cid: Cid) => {
      reads += 1;
      return commits.firstBlockOf(cid);
    };
    const find = unsentFinder({ ...session, commits: { ...commits, firstBlockOf } });
    await find();
    expect(reads).toBe(commits.archiveIds().length);
    await find();
    expect(reads).toBe(commits.archiveIds().length);
  });
});
