import { FixpointError } from '@fixpoint/protocol';
import { describe, expect, test } from 'vitest';
import { utf8 } from '../../base/bytes.ts';
import type { Cid } from '../../codec/cid.ts';
import { code, copyOf, full } from '../../commit/head.fixture.ts';
import { type DataKey, dataKey } from '../../crypto/keys.ts';
import { putAt, remoteOf, sessionOver, write } from '../session.fixture.ts';
import { healObjects } from './upload-lost.ts';

/** Creates a device whose archives the remote has lost, although the device counts them as held. */
async function lost(key?: DataKey) {
  const world = await sessionOver(remoteOf(), key);
  const { session, commits, memory } = world;
  await write(commits, ['a', 1], ['b', 1]);
  const archives = commits.archiveIds();
  const learn = async (rows: ReturnType<typeof memory.rowsOfGroups>) => {
    await commits.markUploaded([], rows);
    memory.learned(rows);
  };
  await learn(
    memory.rowsOfGroups(
      archives.map((cid) => [cid]),
      'live',
      1,
    ),
  );
  const heal = (...names: string[]) => healObjects(session, world.connect(), names);
  return { ...world, archives, learn, heal };
}
const missing = expect.objectContaining({ code: 'MISSING_CARS' });

describe('objects that a remote lost', () => {
  test('[R17] uploads an archive at once under the same name, which also repairs the entries of other devices', async () => {
    const { archives, heal, remote, memory, reports } = await lost();
    const [first] = archives as [Cid];
    expect(await heal(`car/${first}`)).toBe(1);
    expect([...remote.objects.keys()]).toEqual([`car/${first}`]);
    // The device still counts the archive as held by the remote.
    expect(memory.holds(first)).toBe(true);
    expect(reports).toEqual([missing]);
  });

  test('ignores lost objects that this device never counted as held by the remote', async () => {
    const { heal, remote, reports, values } = await lost();
    const before = copyOf(values);
    expect(await heal('car/unknown', 'file/unknown', 'no object')).toBe(0);
    expect([remote.transfers, reports]).toEqual([[], []]);
    expect(values).toEqual(before);
  });

  test('uploads no archive when the remote lost a file with the same key', async () => {
    const { archives, heal, remote } = await lost();
    expect(await heal(`file/${archives[0]}`)).toBe(0);
    expect(remote.transfers).toEqual([]);
  });

  test('[R17] puts the content back into the upload queue when compaction removed the archive from this device', async () => {
    const { archives, heal, memory, commits, values, remote } = await lost();
    for (let n = 0; n < 20; n++) await write(commits, ['a', n + 2]);
    await commits.compact();
    const [first] = archives as [Cid];
    expect(commits.hasArchive(first)).toBe(false);
    expect(await heal(`car/${first}`)).toBe(1);
    expect(remote.transfers).toEqual([]);
    expect([memory.holds(first), memory.knows([first])]).toEqual([false, false]);
    expect(values.has(`${memory.prefix}group/${first}`)).toBe(false);
  });

  test('[R17] puts the content back into the upload queue when the remote keeps damaged bytes under the name', async () => {
    const { archives, heal, memory, remote } = await lost();
    const [first] = archives as [Cid];
    remote.objects.set(`car/${first}`, utf8('damaged'));
    remote.status = (transfer) => (transfer.startsWith('PUT') ? 409 : undefined);
    expect(await heal(`car/${first}`)).toBe(1);
    expect([memory.holds(first), memory.knows([first])]).toEqual([false, false]);
  });

  test('counts an archive as sent when the upload fails with status 409 and the remote has the same archive', async () => {
    const { archives, heal, memory, remote, session, commits } = await lost();
    const [first] = archives as [Cid];
    await putAt(session, remote, 'car', { cid: first, bytes: await commits.plainArchive(first) });
    remote.status = (transfer) => (transfer.startsWith('PUT') ? 409 : undefined);
    expect(await heal(`car/${first}`)).toBe(1);
    expect(memory.holds(first)).toBe(true);
  });

  test('[R17] puts the content back into the upload queue when an unknown key encrypted the bytes at the remote', async () => {
    const { archives, heal, memory, remote, commits } = await lost(dataKey(new Uint8Array(32).fill(7)));
    const [first] = archives as [Cid];
    const other = await sessionOver(remote, dataKey(new Uint8Array(32).fill(9)));
    await putAt(other.session, remote, 'car', { cid: first, bytes: await commits.plainArchive(first) });
    remote.status = (transfer) => (transfer.startsWith('PUT') ? 409 : undefined);
    expect(await heal(`car/${first}`)).toBe(1);
    expect(memory.holds(first)).toBe(false);
  });

  test('puts a lost attached file back into the upload queue', async () => {
    const { archives, heal, memory, learn, values } = await lost();
    const [file] = archives as [Cid];
    await learn(memory.rowsOfFiles([file]));
    expect(await heal(`file/${file}`)).toBe(1);
    expect([memory.holdsFile(file), memory.holds(file)]).toEqual([false, true]);
    expect(values.has(`${memory.prefix}file/${file}`)).toBe(false);
  });
});

describe('healing that fails', () => {
  test.each([
    ['the remote refuses', 503],
    ['there is no network', 0],
  ])('[R3] forgets nothing when %s, and succeeds at a retry', async (_, status) => {
    const { archives, heal, memory, remote, values, reports } = await lost();
    const before = copyOf(values);
    remote.status = () => status;
    await expect(heal(`car/${archives[0]}`)).rejects.toThrow(code('GATEWAY_PUT'));
    expect(values).toEqual(before);
    expect([memory.holds(archives[0] as Cid), reports]).toEqual([true, []]);
    remote.status = () => undefined;
    expect(await heal(`car/${archives[0]}`)).toBe(1);
  });

  test('[R3] continues to count a lost file as held by the remote when the disk is full', async () => {
    const { archives, heal, memory, failOnce, values } = await lost();
    const [first] = archives as [Cid];
    values.delete(`commit/${first}`);
    const file = archives[1] as Cid;
    memory.learned(memory.rowsOfFiles([file]));
    failOnce('write', full);
    await expect(heal(`file/${file}`)).rejects.toThrow(code('STORE_FULL'));
    expect(memory.holdsFile(file)).toBe(true);
  });

  test('[R17] uploads the other archives when this device cannot read one, and puts that one into the upload queue', async () => {
    const { archives, memory, remote, session, connect } = await lost();
    const [bad, good] = archives.slice(-2) as [Cid, Cid];
    const plainArchive = async (cid: Cid) => {
      if (cid === bad) throw new FixpointError('CORRUPT', 'damaged on disk');
      return session.commits.plainArchive(cid);
    };
    const damaged = { ...session, commits: { ...session.commits, plainArchive } };
    expect(await healObjects(damaged, connect(), [`car/${bad}`, `car/${good}`])).toBe(2);
    expect([memory.holds(bad), memory.holds(good)]).toEqual([false, true]);
    expect([...remote.objects.keys()]).toEqual([`car/${good}`]);
  });
});

describe('archives that depend on a lost group', () => {
  /** Merges groups a and b into c, which the remote then loses. */
  async function mergedGroups() {
    const world = await lost();
    const { memory, learn, archives } = world;
    const [a, b] = archives as [Cid, Cid];
    const c = archives[2] as Cid;
    await learn(memory.rowsOfReplaced([[a], [b]], 2));
    return { ...world, a, b, c };
  }
  /** Removes an archive from this device, so that it can't be uploaded at once. */
  async function gone(world: Awaited<ReturnType<typeof lost>>) {
    for (let n = 0; n < 20; n++) await write(world.commits, ['a', n + 2]);
    await world.commits.compact();
  }

  test('[R17] lists the groups again that were merged into the lost group', async () => {
    const world = await mergedGroups();
    const { heal, memory, a, b, c } = world;
    await gone(world);
    expect(memory.groups()).toEqual([[c]]);
    await heal(`car/${c}`);
    expect(memory.groups().toSorted()).toEqual([[a], [b]].toSorted());
  });

  test('leaves other groups replaced when the lost group was already replaced itself', async () => {
    const world = await mergedGroups();
    const { heal, memory, a, b, c } = world;
    await gone(world);
    await heal(`car/${a}`);
    expect([memory.groups(), memory.groupsIn('replaced')]).toEqual([[[c]], [[b]]]);
    expect(memory.knows([a])).toBe(false);
  });

  test('[R17] sends an archive again if its content was in the lost archive, but not if it was in another archive', async () => {
    const world = await mergedGroups();
    const { heal, memory, learn, a, b, c } = world;
    await gone(world);
    await learn([...memory.rowsOfSent([a], [c]), ...memory.rowsOfSent([b], [a])]);
    await heal(`car/${c}`);
    expect(memory.sentRow(a)).toBeUndefined();
    expect(memory.sentRow(b)).toBeDefined();
  });

  test('[R17] sends an archive again if no row says which uploaded archive contains its content', async () => {
    const world = await mergedGroups();
    const { heal, memory, learn, a, c } = world;
    await gone(world);
    await learn(memory.rowsOfSent([a]));
    await heal(`car/${c}`);
    expect(memory.sentRow(a)).toBeUndefined();
  });
});
