/** Imports texts as files, as the dialog does. */
import type { Database } from 'fixpoint';
import { type Check, checkImport } from './check-import.ts';
import type { FileChoices } from './import-file.ts';
import { type NewIds, newIds } from './new-ids.ts';
import { type Choices, type Fields, SUGGESTED } from './problems.ts';
import { fixedDocument } from './row-documents.ts';
import { type Imported, writeImport } from './write-import.ts';

type Content = string | Uint8Array<ArrayBuffer>;
export type NamedFile = readonly [name: string, content: Content, chosen?: FileChoices];

/** When the imports were opened. */
const START_MS = 1_764_374_400_000;

const { signal } = new AbortController();
const emptyDatabase = { allDocs: () => Promise.resolve({ rows: [] }) } as unknown as Database;

export const checkFiles = (
  files: readonly NamedFile[],
  {
    database = emptyDatabase,
    choices = SUGGESTED,
    newIds: ids = { idOf: newIds(START_MS), areWritten: false },
  }: { database?: Database; choices?: Choices; newIds?: NewIds } = {},
): Promise<Check> =>
  checkImport(
    database,
    files.map(([name, content, chosen = {}], number) => ({
      file: new File([content], name),
      number,
      chosen,
    })),
    { signal, choices, newIds: ids },
  );

/** Returns the check of one file, and the documents of its preview with the suggested fixes. */
export async function checkOne(...file: NamedFile) {
  const check = await checkFiles([file]);
  const [checked] = check.files;
  if (checked === undefined) throw new Error('no file');
  const docs = checked.preview.flatMap((row): Fields[] => {
    const doc = fixedDocument(row, SUGGESTED);
    return doc === undefined ? [] : [doc];
  });
  const problems = checked.kinds.flatMap(({ found }) => found);
  return { ...checked, docs, problems };
}

export async function importFiles(
  database: Database,
  files: readonly NamedFile[],
  more: Partial<Choices> = {},
): Promise<Imported> {
  const choices = { ...SUGGESTED, ...more };
  const check = await checkFiles(files, { database, choices });
  const imported = await writeImport(database, check, choices, { signal, onProgress: () => undefined });
  if (imported.error !== undefined) throw imported.error;
  return imported;
}
