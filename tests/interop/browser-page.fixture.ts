/**
 * The page of `browser.test.ts`: the existing client and Fixpoint in one browser, with the same
 * IndexedDB.
 */
import { fireproof as existing } from '@fireproof/core';
import { fixpoint, type StoredFile } from 'fixpoint';
import { fireproof } from 'fixpoint/fireproof';

interface Shown {
  readonly rows: readonly (readonly [id: string, n: unknown])[];
  readonly file: string;
  readonly head: readonly string[];
}
type Doc = { n?: number; _files?: Record<string, Pick<StoredFile, 'file'>> };
interface Readable {
  allDocs(
    options: object,
  ): Promise<{ rows: readonly { key: unknown; value: unknown }[]; clock: readonly unknown[] }>;
  get(id: string): Promise<unknown>;
}

async function shown(db: Readable): Promise<Shown> {
  const { rows, clock } = await db.allDocs({ includeDeleted: true });
  const { _files } = (await db.get('with-file')) as Doc;
  return {
    rows: rows.map(({ key, value }) => [String(key), (value as Doc).n ?? null]),
    file: (await (await _files?.['it']?.file())?.text()) ?? 'none',
    head: clock.map(String).sort(),
  };
}

/** Writes, deletes and attaches a file with the existing client, as an application does. */
async function write(name: string): Promise<Shown> {
  const db = existing(name);
  await db.bulk(Array.from({ length: 20 }, (_, n) => ({ _id: `doc-${n}`, n })));
  await db.put({
    _id: 'with-file',
    n: 1,
    _files: { it: new File(['attached'], 'it', { type: 'text/plain' }) },
  } as never);
  await db.del('doc-3');
  await Promise.all([4, 5, 6].map((n) => db.put({ _id: `doc-${n}`, n: n * 10 })));
  const found = await shown(db as unknown as Readable);
  await db.close();
  return found;
}

async function read(name: string, how: 'fixpoint' | 'fireproof' | 'existing'): Promise<Shown> {
  const db = how === 'fixpoint' ? fixpoint(name) : how === 'fireproof' ? fireproof(name) : existing(name);
  const found = await shown(db as unknown as Readable);
  await db.close();
  return found;
}

/** Writes one document with Fixpoint. */
async function change(name: string): Promise<void> {
  const db = fireproof(name);
  await db.put({ _id: 'ours', n: 7 });
  await db.close();
}

async function destroy(name: string): Promise<readonly string[]> {
  await fixpoint(name).destroy();
  return (await indexedDB.databases()).map((one) => one.name ?? '').filter((one) => one.includes(name));
}

Object.assign(globalThis, { write, read, change, destroy });
