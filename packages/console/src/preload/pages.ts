/**
 * Finds by path which scripts a page needs in addition to the first one. The tree mirrors the files
 * in `routes/`, whose names are the pages' paths: `databases.$name.query` is shown at
 * `/fp/databases/any/query`, inside `databases.$name` and `databases`.
 */
export interface Pages {
  /** Paths of scripts for the layout around all pages from here on. */
  readonly around?: readonly string[];
  /** Paths of scripts for the page at exactly this path. */
  readonly here?: readonly string[];
  /** Child pages by the next part of the path; `$` matches any part. */
  readonly below?: Readonly<Record<string, Pages>>;
}

const CLOUD = 'cloud';

/**
 * Returns the scripts that a page needs.
 * @param path as in an address, with or without `/fp`; `/` and `/fp` lead to the cloud
 */
export function scriptsOf(pages: Pages, path: string): readonly string[] {
  let scripts = [...(pages.around ?? [])];
  let place = pages;
  for (const part of partsOf(path)) {
    const next = childOf(place, part);
    // A part that matches no file is a parameter of the page before it, such as the id of a saved
    // query.
    if (next === undefined) break;
    place = next;
    scripts = [...scripts, ...(place.around ?? [])];
  }
  return [...new Set([...scripts, ...(place.here ?? [])])];
}

export const isOfCloud = (path: string): boolean => partsOf(path)[0] === CLOUD;

function partsOf(path: string): readonly string[] {
  const parts = path.split('/').filter((part) => part !== '' && part !== 'fp');
  return parts.length === 0 ? [CLOUD] : parts;
}

const childOf = ({ below }: Pages, part: string): Pages | undefined =>
  below !== undefined && Object.hasOwn(below, part) ? below[part] : below?.['$'];
