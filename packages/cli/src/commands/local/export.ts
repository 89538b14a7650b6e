import type { StoredFile } from 'fixpoint';
import type { Command } from '../../command.ts';
import { DIRECTORY_OPTIONS, withDatabase } from '../../local-database.ts';
import { openFile } from '../../open-file.ts';

const PAGE = 500;

/**
 * Writes one line for each document, with its files as base64 under `_files` and `_publicFiles`.
 */
export const exportCommand: Command = {
  usage: ['export <database> [--to file.ndjson] [--directory FOLDER]'],
  options: {
    ...DIRECTORY_OPTIONS,
    to: { type: 'string', value: 'FILE', help: 'file to create; default: standard output' },
  },
  takes: { '': 1 },
  run: async (call) => {
    const to = call.text('to');
    const file = to === undefined ? undefined : await openFile(to, 'a new one');
    const write = async (line: string) =>
      file === undefined ? call.io.out(line) : file.writeFile(`${line}\n`);
    try {
      const documents = await withDatabase(call, false, async (db) => {
        let count = 0;
        let after: string | undefined;
        for (;;) {
          const range = after === undefined ? {} : { range: [`${after}\u0000`, '\uffff'] as const };
          const { rows } = await db.allDocs({ limit: PAGE, ...range });
          for (const { value } of rows) await write(JSON.stringify(await withContent(value)));
          count += rows.length;
          after = rows.at(-1)?.key;
          if (rows.length < PAGE || after === undefined) return count;
        }
      });
      await file?.sync();
      return {
        json: { documents, ...(to !== undefined && { to }) },
        lines: file ? [`${documents} documents`] : [],
      };
    } finally {
      await file?.close();
    }
  },
};

type Doc = Readonly<Record<string, unknown>>;

async function withContent(doc: Doc): Promise<Doc> {
  const { _id, ...rest } = doc;
  const whole: Record<string, unknown> = { _id, ...rest };
  for (const place of ['_files', '_publicFiles']) {
    const entries = doc[place] as Readonly<Record<string, StoredFile>> | undefined;
    if (entries === undefined) continue;
    const read = Object.entries(entries).map(
      async ([name, entry]) => [name, await contentOf(entry)] as const,
    );
    whole[place] = Object.fromEntries(await Promise.all(read));
  }
  return whole;
}

async function contentOf(entry: StoredFile) {
  const file = await entry.file();
  const base64 = Buffer.from(await file.arrayBuffer()).toString('base64');
  return { type: file.type, lastModified: file.lastModified, base64 };
}
