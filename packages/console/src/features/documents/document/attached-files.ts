/** Reads and changes the files that a document holds in `_files` and `_publicFiles`. */
import type { Stored, StoredFile } from 'fixpoint';

export const FILE_FIELDS = ['_files', '_publicFiles'] as const;

export interface Attachment {
  readonly field: (typeof FILE_FIELDS)[number];
  readonly name: string;
  readonly entry: StoredFile;
}

type Fields = Readonly<Record<string, unknown>>;

/** Returns the files in both fields; ignores other values in them. */
export function attachmentsOf(doc: Fields | undefined): readonly Attachment[] {
  return FILE_FIELDS.flatMap((field) =>
    Object.entries(entriesIn(doc, field)).flatMap(([name, entry]): Attachment[] =>
      isFile(entry) ? [{ field, name, entry }] : [],
    ),
  );
}

const isFile = (entry: unknown): entry is StoredFile =>
  typeof entry === 'object' && entry !== null && typeof (entry as { file?: unknown }).file === 'function';

function entriesIn(doc: Fields | undefined, field: string): Fields {
  const value = doc?.[field];
  return typeof value === 'object' && value !== null ? (value as Fields) : {};
}

/** Returns the document with files added under their names, replacing files of the same name. */
export const withFiles = (doc: Stored, files: readonly File[]): Stored => ({
  ...doc,
  _files: { ...entriesIn(doc, '_files'), ...Object.fromEntries(files.map((file) => [file.name, file])) },
});

export function withoutFile(doc: Stored, { field, name }: Pick<Attachment, 'field' | 'name'>): Stored {
  const { [field]: _, ...others } = doc as Fields;
  const left = Object.entries(entriesIn(doc, field)).filter(([one]) => one !== name);
  return { ...others, ...(left.length > 0 && { [field]: Object.fromEntries(left) }), _id: doc._id };
}

const PREVIEW_BYTES_MAX = 8_000_000;
const PICTURES: ReadonlySet<string> = new Set([
  'image/png',
  'image/jpeg',
  'image/gif',
  'image/webp',
  'image/avif',
  'image/svg+xml',
]);

/** Returns how the page can preview a file. */
export function previewKind({ type, size }: Pick<StoredFile, 'type' | 'size'>): 'picture' | 'text' | 'none' {
  if (size > PREVIEW_BYTES_MAX) return 'none';
  if (PICTURES.has(type)) return 'picture';
  return type.startsWith('text/') || type === 'application/json' ? 'text' : 'none';
}

/**
 * Returns a URL for a picture. An SVG may contain scripts, so it gets a data URL, which has an
 * opaque origin in a tab. At an object URL, the scripts would run on the console's origin.
 */
export const pictureUrl = async (file: Blob): Promise<string> =>
  /^image\/.*xml/.test(file.type) ? dataUrlOf(file) : URL.createObjectURL(file);

const dataUrlOf = (file: Blob): Promise<string> =>
  new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(reader.result as string);
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(file);
  });
