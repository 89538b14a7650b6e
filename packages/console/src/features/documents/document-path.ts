/**
 * Paths of documents. "new" makes a document, and browsers take the parts "." and ".." out of a path, so documents with these ids have
 * a tilde before their id; one that is called so has one more.
 */
import { shownId } from '../../values/shown-id.ts';

const WITH_TILDE = /^~*(new|\.\.?)$/;

export const documentPath = (basePath: string, id: string): string =>
  `${basePath}/${encodeURIComponent(WITH_TILDE.test(id) ? `~${id}` : id)}`;

/** The id that a decoded part of a path names; undefined for a new document. */
export function documentIdOf(part: string): string | undefined {
  if (part === 'new') return undefined;
  return WITH_TILDE.test(part) ? part.slice(1) : part;
}

/** The id that a path ends with. The router's own parameter takes an encoded "%2F" for a slash. */
export function documentIdAtEnd(pathname: string): string | undefined {
  const part = pathname.replace(/\/$/, '').split('/').at(-1) ?? '';
  try {
    return documentIdOf(decodeURIComponent(part));
  } catch {
    return part;
  }
}

/** What a window that shows a document is called. */
export const documentTitle = (id: string | undefined): string =>
  id === undefined ? 'New document' : shownId(id);
