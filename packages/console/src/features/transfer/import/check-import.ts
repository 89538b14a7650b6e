/** Reads files before an import, and finds out what the import would do. Writes nothing. */
import type { Database } from 'fixpoint';
import { type FileChoices, type FileFacts, inspectFile, rowsOf } from './import-file.ts';
import type { NewIds } from './new-ids.ts';
import {
  BEFORE_ANOTHER,
  bitOf,
  type Choices,
  type Fate,
  fateOf,
  type ImportRow,
  idFault,
  type Kind,
  type Mask,
  maskOf,
  type Problem,
} from './problems.ts';
import {
  type AlikeIds,
  addRow,
  alikeIds,
  countRepeated,
  placeOf,
  type Repeated,
  type RowOfId,
  type RowPlace,
  type SameId,
} from './repeated.ts';
import { fixedDocument, identified } from './row-documents.ts';

const BATCH = 500;
/** Rows of the preview: the first ones, some with each kind of problem, and the last ones. */
const FIRST_ROWS = 6;
const ROWS_PER_KIND = 3;
const LAST_ROWS = 2;
/** Problems of one kind that are listed. The others are only counted. */
const LISTED_MAX = 100;
const FIELDS_MAX = 1000;
const NEW_ID_CHARS = 36;

export interface FoundProblem extends Problem {
  readonly line: number;
}

export interface KindFound {
  readonly kind: Kind;
  readonly rows: number;
  /** The first problems. */
  readonly found: readonly FoundProblem[];
}

export type PreviewRow = ImportRow & RowOfId;

/** A field of the documents, with the types of its values. */
interface FieldFound {
  readonly field: string;
  readonly types: ReadonlySet<string>;
}

export interface CheckedFile extends PlannedFile {
  readonly facts: FileFacts;
  /** The field that becomes the id; null for new ids. */
  readonly idField: string | null;
  readonly rows: number;
  /** The length of the ids of all rows. */
  readonly idChars: number;
  readonly kinds: readonly KindFound[];
  readonly fields: readonly FieldFound[];
  readonly preview: readonly PreviewRow[];
  /** How many rows have each combination of problems, including `twice` and BEFORE_ANOTHER. */
  readonly masks: ReadonlyMap<Mask, number>;
}

export interface Check {
  readonly files: readonly CheckedFile[];
  readonly repeated: Repeated;
  readonly alike: readonly AlikeIds[];
  readonly newIds: NewIds;
}

export interface PlannedFile {
  readonly file: File;
  /** Identifies the file for {@link NewIds}. */
  readonly number: number;
  readonly chosen: FileChoices;
}

export interface Checking {
  readonly signal: AbortSignal;
  /** Only the choice for invalid ids matters: other choices don't change which ids are equal. */
  readonly choices: Choices;
  readonly newIds: NewIds;
  readonly onProgress?: (progress: {
    readonly file: string;
    readonly bytes: number;
    readonly of: number;
  }) => void;
}

export type ReadDatabase = Pick<Database, 'allDocs'>;

/** @throws FixpointError; the reason of the signal; an error if a file can't be read */
export async function checkImport(
  database: ReadDatabase,
  planned: readonly PlannedFile[],
  checking: Checking,
): Promise<Check> {
  const seen: Seen = { rows: new Map(), repeated: new Map() };
  const { rows } = await database.allDocs({ limit: 1 });
  const context = { database, checking, seen, isEmpty: rows.length === 0 };
  const files: Notes[] = [];
  for (const [at, file] of planned.entries()) files.push(await checkFile(context, at, file));
  const { repeated } = seen;
  const checked = files.map((notes) => notes.checked());
  return { files: checked, repeated, alike: alikeIds(repeated), newIds: checking.newIds };
}

interface SeenRow {
  readonly notes: Notes;
  readonly place: RowPlace;
  readonly line: number;
  /** The problems of the row, except that other rows have its id. */
  readonly mask: Mask;
  readonly isLater: boolean;
}

interface Seen {
  /** The last row with each id. */
  readonly rows: Map<string, SeenRow>;
  readonly repeated: Map<string, Parameters<typeof addRow>[0]>;
}

interface Context {
  readonly database: ReadDatabase;
  readonly checking: Checking;
  readonly seen: Seen;
  readonly isEmpty: boolean;
}

async function checkFile(context: Context, at: number, planned: PlannedFile): Promise<Notes> {
  const { file, chosen } = planned;
  const { signal, onProgress } = context.checking;
  const onBytes = (bytes: number) => onProgress?.({ file: file.name, bytes, of: file.size });
  const facts = await inspectFile(file, chosen, { signal, onBytes });
  const notes = new Notes({
    ...planned,
    facts,
    idField: chosen.idField === undefined ? '_id' : chosen.idField,
  });
  let batch: ImportRow[] = [];
  for await (const rows of rowsOf(file, facts, chosen, { signal, onBytes }))
    for (const row of rows) {
      batch.push(identified(row, notes.idField));
      if (batch.length < BATCH) continue;
      await checkBatch(context, at, notes, batch);
      batch = [];
    }
  await checkBatch(context, at, notes, batch);
  return notes;
}

/** Returns the id that a row will have; undefined for a new id. */
export function idOf(row: ImportRow, choices: Choices): string | undefined {
  const id = row.problems.some(({ kind }) => kind === 'id')
    ? fixedDocument({ ...row, problems: row.problems.filter(({ kind }) => kind === 'id') }, choices)?.['_id']
    : row.doc?.['_id'];
  return typeof id === 'string' && idFault(id) === undefined ? id : undefined;
}

/** Returns the generated id of a row if a document with it may exist. */
export const writtenId = (newIds: NewIds, file: number, row: ImportRow): string | undefined =>
  newIds.areWritten ? newIds.idOf(file, row) : undefined;

/** Returns which of these ids exist in the database. */
export async function existing(
  database: ReadDatabase,
  ids: readonly (string | undefined)[],
): Promise<ReadonlySet<string>> {
  const keys = ids.filter((id) => id !== undefined);
  if (keys.length === 0) return new Set();
  const { rows } = await database.allDocs({ keys });
  return new Set(rows.map(({ key }) => key));
}

async function checkBatch(
  { database, checking, seen, isEmpty }: Context,
  file: number,
  notes: Notes,
  batch: readonly ImportRow[],
): Promise<void> {
  const { choices, newIds } = checking;
  const ids = batch.map((row) => idOf(row, choices));
  const asked = batch.map((row, at) => ids[at] ?? writtenId(newIds, notes.number, row));
  const there = isEmpty ? new Set<string>() : await existing(database, asked);
  checking.signal.throwIfAborted();
  for (const [at, row] of batch.entries()) {
    const id = ids[at];
    let mask = maskOf(row.problems);
    const more: Problem[] = [];
    const found = asked[at];
    if (found !== undefined && there.has(found)) {
      mask |= bitOf('exists');
      more.push({ kind: 'exists', path: ['_id'], text: found });
    }
    const place = placeOf(file, row);
    const before = id === undefined ? undefined : seen.rows.get(id);
    if (id !== undefined)
      seen.rows.set(id, { notes, place, line: row.line, mask, isLater: before !== undefined });
    if (id === undefined || before === undefined) {
      notes.take({ row, place, mask, more });
      continue;
    }
    const sameId = seen.repeated.get(id) ?? [];
    if (sameId.length === 0) addRow(sameId, before.place, before.mask);
    addRow(sameId, place, mask);
    seen.repeated.set(id, sameId);
    before.notes.becomesEarlier(before, sameId);
    const why = `Also in line ${before.line.toLocaleString('en')}.`;
    more.push({ kind: 'twice', path: ['_id'], text: id, why });
    notes.take({ row, place, mask, more, sameId });
  }
}

const TWICE = bitOf('twice');
const REPEATED = TWICE | BEFORE_ANOTHER;

interface TakenRow {
  readonly row: ImportRow;
  readonly place: RowPlace;
  readonly mask: Mask;
  /** Problems that depend on other documents. */
  readonly more: readonly Problem[];
  readonly sameId?: SameId;
}

type About = PlannedFile & Pick<CheckedFile, 'facts' | 'idField'>;

/** Collects what the check found in one file. */
class Notes {
  readonly idField: string | null;
  readonly number: number;
  readonly #about: About;
  #rows = 0;
  #idChars = 0;
  readonly #kinds = new Map<Kind, { rows: number; found: FoundProblem[] }>();
  readonly #fields = new Map<string, Set<string>>();
  readonly #masks = new Map<Mask, number>();
  readonly #kept: PreviewRow[] = [];
  #last: PreviewRow[] = [];
  #keepsNext = false;

  constructor(about: About) {
    this.#about = about;
    this.idField = about.idField;
    this.number = about.number;
  }

  take({ row, place, mask, more, sameId }: TakenRow): void {
    this.#rows += 1;
    const id = row.doc?.['_id'];
    this.#idChars += typeof id === 'string' ? id.length : NEW_ID_CHARS;
    this.#count(sameId === undefined ? mask : mask | TWICE, 1);
    const problems = more.length === 0 ? row.problems : [...row.problems, ...more];
    const isShown = this.#list(row.line, problems);
    this.#noteFields(row);
    const shown: PreviewRow = { ...row, problems, place, mask, sameId };
    if (this.#rows <= FIRST_ROWS || isShown || this.#keepsNext) this.#kept.push(shown);
    // The row after a problem shows where the file goes on.
    this.#keepsNext = isShown;
    this.#last = [...this.#last.slice(1 - LAST_ROWS), shown];
  }

  /** Notes that a row, which had no later row with its id, now has one. */
  becomesEarlier({ place, mask, isLater }: SeenRow, sameId: SameId): void {
    const before = isLater ? mask | TWICE : mask;
    this.#count(before, -1);
    this.#count(before | BEFORE_ANOTHER, 1);
    for (const rows of [this.#kept, this.#last]) {
      const index = rows.findIndex((one) => one.place === place);
      const shown = rows[index];
      if (shown !== undefined) rows[index] = { ...shown, sameId };
    }
  }

  checked(): CheckedFile {
    const kept = new Set(this.#kept.map(({ at }) => at));
    return {
      ...this.#about,
      rows: this.#rows,
      idChars: this.#idChars,
      kinds: [...this.#kinds].map(([kind, { rows, found }]) => ({ kind, rows, found })),
      fields: [...this.#fields].map(([field, types]) => ({ field, types })),
      // A kept row with a problem may be after the first of the last rows.
      preview: [...this.#kept, ...this.#last.filter(({ at }) => !kept.has(at))].sort((a, b) => a.at - b.at),
      masks: this.#masks,
    };
  }

  #count(mask: Mask, by: number): void {
    this.#masks.set(mask, (this.#masks.get(mask) ?? 0) + by);
  }

  /** Lists the problems of a row. Returns whether the preview shows the row for their sake. */
  #list(line: number, problems: readonly Problem[]): boolean {
    let isShown = false;
    const counted = new Set<Kind>();
    for (const problem of problems) {
      const kind = this.#kinds.get(problem.kind) ?? { rows: 0, found: [] };
      this.#kinds.set(problem.kind, kind);
      if (!counted.has(problem.kind)) kind.rows += 1;
      counted.add(problem.kind);
      if (kind.rows <= ROWS_PER_KIND && problem.kind !== 'exists') isShown = true;
      if (kind.found.length < LISTED_MAX) kind.found.push({ ...problem, line: problem.line ?? line });
    }
    return isShown;
  }

  #noteFields({ doc }: ImportRow): void {
    if (doc === undefined) return;
    for (const field of Object.keys(doc)) {
      let types = this.#fields.get(field);
      if (types === undefined) {
        if (this.#fields.size >= FIELDS_MAX) return;
        types = new Set();
        this.#fields.set(field, types);
      }
      types.add(typeNameOf(doc[field]));
    }
  }
}

const DATE = /^\d{4}-\d\d-\d\d(?:[T ][\d:.Z+-]+)?$/;

function typeNameOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'list';
  if (value instanceof Uint8Array) return 'bytes';
  if (typeof value === 'string') return DATE.test(value) ? 'date' : 'text';
  return typeof value;
}

export type Counts = Readonly<Record<Fate, number>>;

/** Returns how many rows have each fate. @param only the position of one file; all by default */
export function countFates({ files, alike }: Check, choices: Choices, only?: number): Counts {
  const counts: Record<Fate, number> = { added: 0, replaced: 0, kept: 0, skipped: 0 };
  for (const [at, { masks }] of files.entries())
    for (const [mask, rows] of masks)
      if ((only ?? at) === at && (mask & REPEATED) === 0) counts[fateOf(mask, choices)] += rows;
  countRepeated(alike, choices, (fate, file, rows) => {
    if ((only ?? file) === file) counts[fate] += rows;
  });
  return counts;
}
