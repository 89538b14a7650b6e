/** In paths "new" makes a document, so the document whose id is `new` is written `~new`. */

/** The id that a part of a path names; undefined for a new document. */
export function documentIdOf(part: string): string | undefined {
  if (part === 'new') return undefined;
  return part === '~new' ? 'new' : part;
}

export const documentPath = (basePath: string, id: string): string =>
  `${basePath}/${encodeURIComponent(id === 'new' ? '~new' : id)}`;
