import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { FixpointError } from '@fixpoint/protocol';
import type { Database } from 'fixpoint';
import { type Command, required } from '../../command.ts';
import { DIRECTORY_OPTIONS, withDatabase } from '../../local-database.ts';
import { openFile } from '../../open-file.ts';

const BATCH = 500;

export const importCommand: Command = {
  usage: ['import <database> --from file.ndjson [--directory FOLDER]'],
  options: {
    ...DIRECTORY_OPTIONS,
    from: {
      type: 'string',
      value: 'FILE',
      help: 'file with one JSON document per line, or - for standard input',
    },
  },
  takes: { '': 1 },
  run: async (call) => {
    const from = required(call.text('from'), '--from');
    // Check the file first, so that a wrong path doesn't create a database.
    if (from !== '-') await (await openFile(from, 'to read')).close();
    const documents = await withDatabase(call, true, (db) => take(db, from));
    return { json: { documents }, lines: [`${documents} documents`] };
  },
};

/** Imports documents in atomic batches. If a line is invalid, the earlier batches stay stored. */
async function take(db: Database, from: string): Promise<number> {
  const input = from === '-' ? process.stdin : createReadStream(from);
  let batch: Doc[] = [];
  let [count, line] = [0, 0];
  for await (const text of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
    line += 1;
    if (text.trim() === '') continue;
    batch.push(documentOf(text, line));
    if (batch.length < BATCH) continue;
    await db.bulk(batch);
    count += batch.length;
    batch = [];
  }
  if (batch.length > 0) await db.bulk(batch);
  return count + batch.length;
}

type Doc = Readonly<Record<string, unknown>>;

function documentOf(text: string, line: number): Doc {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new FixpointError('DOC_INVALID', `line ${line} is not JSON: ${(cause as Error).message}`, {
      cause,
    });
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new FixpointError('DOC_INVALID', `line ${line} is not a document`);
  return withFiles(value as Doc, line);
}

interface Content {
  readonly base64?: unknown;
  readonly type?: string;
  readonly lastModified?: number;
}

function withFiles(doc: Doc, line: number): Doc {
  const whole: Record<string, unknown> = { ...doc };
  for (const place of ['_files', '_publicFiles']) {
    const entries = doc[place] as Readonly<Record<string, Content | null>> | null | undefined;
    if (!entries) continue;
    const files = Object.entries(entries).map(([name, content]) => [name, fileOf(content, name, line)]);
    whole[place] = Object.fromEntries(files);
  }
  return whole;
}

function fileOf(content: Content | null, name: string, line: number) {
  const { base64, type, lastModified } = content ?? {};
  if (typeof base64 !== 'string')
    throw new FixpointError('DOC_INVALID', `line ${line}: the file ${name} has no base64 content`);
  return {
    bytes: new Uint8Array(Buffer.from(base64, 'base64')),
    ...(type !== undefined && { type }),
    ...(lastModified !== undefined && { lastModified }),
  };
}
