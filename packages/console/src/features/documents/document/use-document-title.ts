import { useCallback, useState } from 'react';
import { titleOfDocument } from '../../../values/document-title.ts';

/**
 * Returns the title of a document's page, and the function that sets it once the document is known.
 * Until then, the title is the id.
 */
export function useDocumentTitle(id: string | undefined): readonly [string, (title: string) => void] {
  const [known, setKnown] = useState<{ readonly id: string | undefined; readonly title: string }>();
  const set = useCallback((title: string) => setKnown({ id, title }), [id]);
  // The title of the previous document must not stay while the next one loads.
  return [known !== undefined && known.id === id ? known.title : titleOfDocument(id, undefined), set];
}
