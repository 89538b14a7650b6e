import type { Options } from 'minisearch';

/** Options of the search index, which the build writes and the page reads. */
export const SEARCH_OPTIONS: Options = {
  fields: ['heading', 'title', 'text'],
  storeFields: ['title', 'heading'],
  searchOptions: { boost: { heading: 3, title: 2 }, prefix: true, fuzzy: 0.2 },
};
