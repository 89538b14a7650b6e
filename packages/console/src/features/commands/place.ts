/** Determines the subject of the open page from its matching routes. */
import type { UIMatch } from 'react-router';

export interface Place {
  readonly pathname: string;
  /** The page's local database; `path` is the prefix of its pages. */
  readonly local?: { readonly path: string; readonly name: string };
  readonly tenantId?: string;
  readonly ledgerId?: string;
}

type Match = Pick<UIMatch, 'pathname' | 'params' | 'loaderData'>;

export function placeOf(matches: readonly Match[]): Place {
  const last = matches.at(-1);
  if (last === undefined) return { pathname: '/' };
  const { name, tenantId, ledgerId } = last.params;
  const local = matches.map(localDatabaseOf).find((one) => one !== undefined);
  return {
    pathname: last.pathname,
    ...(name !== undefined &&
      local !== undefined && { local: { path: `/fp/databases/${encodeURIComponent(name)}`, name: local } }),
    ...(tenantId !== undefined && { tenantId }),
    ...(ledgerId !== undefined && { ledgerId }),
  };
}

/**
 * Returns the name of the database that a route loaded; undefined for other routes, and for a
 * database that doesn't exist.
 */
function localDatabaseOf({ loaderData }: Match): string | undefined {
  const { localName, exists } = (loaderData ?? {}) as { localName?: unknown; exists?: unknown };
  return typeof localName === 'string' && exists === true ? localName : undefined;
}

export interface DocumentPaths {
  readonly all: string;
  /** The path of a document is this path plus its encoded id. */
  readonly base: string;
  readonly create: string;
  readonly history: string;
  readonly query: string;
  readonly sharing: string;
  readonly settings: string;
}

/** Returns where the documents of the page's database are, local or in the cloud. */
export function documentsOf({ local, tenantId, ledgerId }: Place): DocumentPaths | undefined {
  if (local !== undefined) {
    const base = `${local.path}/docs`;
    return { all: local.path, base, create: `${base}/new`, ...pagesBelow(local.path) };
  }
  if (tenantId === undefined || ledgerId === undefined) return undefined;
  const ledger = `/fp/cloud/tenants/${tenantId}/ledgers/${ledgerId}`;
  const all = `${ledger}/documents`;
  return { all, base: all, create: `${all}/new`, ...pagesBelow(ledger) };
}

const pagesBelow = (path: string) => ({
  history: `${path}/history`,
  query: `${path}/query`,
  sharing: `${path}/sharing`,
  settings: `${path}/settings`,
});
