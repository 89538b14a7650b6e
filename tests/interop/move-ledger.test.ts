/**
 * Moves a ledger to one of the other kind at the real gateway: with history and files, after an
 * interruption at each step, and with a second device that has unsent changes.
 */
import { fixpoint, type StoredFile, toCloud } from 'fixpoint';
import { expect, onTestFinished, test } from 'vitest';
import { type Ledger, temporaryFolder, testCloud } from '../../packages/cloud/tests/cloud.fixture.ts';
import { newPerson, ownLedger, type PersonOnline } from '../../packages/cloud/tests/person.fixture.ts';
import { copyToLedger } from '../../packages/console/src/cloud/ledgers/copy-to-ledger.ts';
import { newLogCode } from '../../packages/engine/src/crypto/grant.ts';
import { seededRandom } from '../../packages/engine/src/testing/seeded-random.ts';

type Kind = 'sealed' | 'open-key';
type WithFiles = { _files: Record<string, StoredFile> };
/** A valid recovery code of the founder of a list. */
const CODE = newLogCode(seededRandom(1));
const IDS = ['a', 'b', 'c', 'd', 'e'];

async function openAt(url: string, folder?: string) {
  const directory = folder ?? (await temporaryFolder());
  const db = fixpoint('notes', { directory });
  onTestFinished(() => db.close());
  const to = ({ tenant, ledger, token }: Ledger, kind: Kind, files: 'always' | 'when-read' = 'when-read') =>
    toCloud({ base: url, tenant, ledger, token, kind, files });
  const attach = (place: Ledger, kind: Kind) => db.attach(to(place, kind));
  return { db, directory, to, attach };
}
type Device = Awaited<ReturnType<typeof openAt>>;

/** Creates a ledger of a kind that replaces another one. */
async function successorOf({ ask, userId }: PersonOnline, { tenant, ledger }: Ledger, kind: Kind) {
  const wanted = { tenantId: tenant, name: `notes ${kind}`, kind, successorOf: ledger };
  const made = await ask('reqCreateLedger', { ledger: wanted });
  const place = { tenant, ledger: made.ledger.ledgerId };
  const { token } = await ask('reqCloudSessionToken', { selected: place });
  return { ...place, userId, token };
}

const nameSuccessor = ({ ask }: PersonOnline, { tenant, ledger }: Ledger, movedTo: string | null) =>
  ask('reqMoveLedger', { ledger: { tenantId: tenant, ledgerId: ledger }, movedTo });

/** Writes five documents with files, one of them twice, and deletes a sixth. */
async function fill({ db }: Device) {
  await db.put({ _id: 'a', text: 'first version' });
  for (const id of IDS) await db.put({ _id: id, text: id, _files: { [id]: new Blob([`file of ${id}`]) } });
  await db.put({ _id: 'gone' });
  await db.del('gone');
}

async function contentOf({ db }: Device) {
  const { rows } = await db.allDocs<WithFiles & { text: string }>();
  const found: string[] = [];
  for (const { key, value } of rows) {
    const { _files: files } = await db.get<WithFiles>(key);
    const texts = await Promise.all(
      Object.values(files ?? {}).map(async (one) => (await one.file())?.text()),
    );
    found.push(`${key} ${value.text} ${await Promise.all(texts)}`);
  }
  return found;
}
const ALL = IDS.map((id) => `${id} ${id} file of ${id}`);

/** Approves a device if the ledger is sealed. */
async function letIn(trusted: Awaited<ReturnType<Device['attach']>>, device: typeof trusted, kind: Kind) {
  if (kind === 'sealed') {
    expect(await device.synced().catch(({ code }) => code)).toBe('DEVICE_NOT_APPROVED');
    await trusted.devices.approve(await device.devices.code());
  }
  await expect.poll(() => device.status().state).toBe('in-sync');
}

test.each([
  ['open-key', 'sealed'],
  ['sealed', 'open-key'],
] as const)(
  'moves a ledger from %s to %s after an interruption at each step; another device takes its unsent changes along',
  async (kind, other) => {
    const cloud = await testCloud();
    const ada = await newPerson(cloud.url);
    const old = await ownLedger(ada);
    const writer = await openAt(cloud.url);
    const writing = await writer.attach(old, kind);
    await fill(writer);
    await writing.synced();

    // The device that moves the ledger has read no file so far.
    let mover = await openAt(cloud.url);
    let moving = await mover.attach(old, kind);
    await letIn(writing, moving, kind);
    const next = await successorOf(ada, old, other);
    for (const lost of ['fetch', 'send', 'check'] as const) {
      const interrupted = copyToLedger(
        mover.db,
        mover.to(old, kind, 'always'),
        mover.to(next, other),
        (step) => {
          if (step === lost) throw new Error(`killed before ${lost}`);
        },
      );
      await expect(interrupted).rejects.toThrow(`killed before ${lost}`);
      await mover.db.close();
      mover = await openAt(cloud.url, mover.directory);
      moving = await mover.attach(old, kind);
    }
    await copyToLedger(mover.db, mover.to(old, kind, 'always'), mover.to(next, other), () => undefined);
    await moving.detach();
    await mover.db.close();
    mover = await openAt(cloud.url, mover.directory);
    moving = await mover.attach(next, other);
    await moving.synced();

    // The device learns of the move at once, and stays with the old ledger all the same.
    await nameSuccessor(ada, old, next.ledger);
    await expect.poll(() => writing.status().movedTo).toEqual({ ledger: next.ledger, kind: other });
    await writer.db.put({ _id: 'late', text: 'late', _files: { late: new Blob(['file of late']) } });
    await writing.synced();
    expect(writing.status()).toMatchObject({ state: 'in-sync', movedTo: { kind: other } });
    await moving.synced();
    expect(await mover.db.get('late').catch(({ code }) => code)).toBe('NOT_FOUND');

    // Its user confirms, while it has a change that the old ledger lacks.
    await writing.detach();
    await writer.db.put({ _id: 'unsent', text: 'unsent', _files: { unsent: new Blob(['file of unsent']) } });
    const switched = await writer.attach(next, other);
    await letIn(moving, switched, other);
    await switched.synced();
    await moving.synced();
    const everything = [...ALL, 'late late file of late', 'unsent unsent file of unsent'];
    expect(await contentOf(mover)).toEqual(everything);
    expect(await contentOf(writer)).toEqual(everything);

    // A new device gets everything from the new ledger, with the history, when the old one is gone.
    await ada.ask('reqDeleteLedger', { ledger: { tenantId: old.tenant, ledgerId: old.ledger } });
    const fresh = await openAt(cloud.url);
    const joining = await fresh.attach(next, other);
    await letIn(moving, joining, other);
    expect(await contentOf(fresh)).toEqual(everything);
    expect(await fresh.db.get('gone').catch(({ code }) => code)).toBe('NOT_FOUND');
    const versions = (await fresh.db.history('a')).map(({ value }) => value?.['text']);
    expect(versions).toContain('first version');
  },
);

test('[E8] moves a ledger with a signed list to an open-key one and back, and starts no second list', async () => {
  const cloud = await testCloud();
  const ada = await newPerson(cloud.url);
  const old = await ownLedger(ada);
  const { db, to, attach } = await openAt(cloud.url);
  const signing = await attach(old, 'sealed');
  await db.put({ _id: 'signed', _files: { f: new Blob(['file']) } });
  await signing.synced();
  await signing.devices.startLog({ name: 'Ada', code: await signing.devices.newLogCode() });
  await db.put({ _id: 'by a member' });
  await signing.synced();
  const open = await successorOf(ada, old, 'open-key');
  const opened = await copyToLedger(db, to(old, 'sealed', 'always'), to(open, 'open-key'), () => undefined);
  await signing.detach();
  await db.put({ _id: 'readable' });
  await opened.synced();
  const reader = await openAt(cloud.url);
  await (await reader.attach(open, 'open-key')).synced();
  const ids = ['by a member', 'readable', 'signed'];
  expect((await reader.db.allDocs()).rows.map(({ key }) => key)).toEqual(ids);

  const again = await successorOf(ada, open, 'sealed');
  const sealed = await copyToLedger(db, to(open, 'open-key', 'always'), to(again, 'sealed'), () => undefined);
  await opened.detach();
  const { devices } = sealed;
  for (const work of [devices.newLogCode(), devices.startLog({ name: 'Ada', code: CODE })])
    expect(await work.catch(({ code }) => code)).toBe('LEDGER_OTHER_LOG');
  await db.put({ _id: 'sealed again' });
  await sealed.synced();
  expect(sealed.status()).toMatchObject({ state: 'in-sync' });
});
