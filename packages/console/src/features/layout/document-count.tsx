import { useKeptCount } from '../../local/document-counts.ts';

/** Shows the number of documents of a database at the right of its entry, once it is known. */
export function DocumentCount({ storage }: { storage: string }) {
  const count = useKeptCount(storage);
  return (
    <span
      aria-hidden
      // Drawn by CSS, because the page of the documents says the number already.
      data-count={count?.toLocaleString('en')}
      className="pointer-events-none absolute inset-y-0 right-2 flex items-center text-xs text-ink-3 tabular-nums before:content-[attr(data-count)]"
    />
  );
}
