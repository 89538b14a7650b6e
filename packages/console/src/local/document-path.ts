/**
 * Builds paths of documents. "new" is the page for a new document, and browsers remove the parts
 * "." and ".." from paths. So paths of documents with these ids have a tilde before the id. Ids
 * that already look like this get one more tilde.
 */
const WITH_TILDE = /^~*(new|\.\.?)$/;

export const documentPath = (basePath: string, id: string): string =>
  `${basePath}/${encodeURIComponent(WITH_TILDE.test(id) ? `~${id}` : id)}`;

/** Returns the path of the changes of a document. The page of the history is a sibling. */
export const documentHistoryPath = (basePath: string, id: string): string =>
  `${basePath.slice(0, basePath.lastIndexOf('/'))}/history?${new URLSearchParams({ document: id })}`;

/** Returns the document id for a decoded part of a path; undefined for a new document. */
function documentIdOf(part: string): string | undefined {
  if (part === 'new') return undefined;
  return WITH_TILDE.test(part) ? part.slice(1) : part;
}

/** Returns the id at the end of a path. The router's own parameter decodes "%2F" to a slash. */
export function documentIdAtEnd(pathname: string): string | undefined {
  const part = pathname.replace(/\/$/, '').split('/').at(-1) ?? '';
  try {
    return documentIdOf(decodeURIComponent(part));
  } catch {
    return part;
  }
}
