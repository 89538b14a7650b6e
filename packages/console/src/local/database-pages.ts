/** Holds the paths of a database's pages, for a local database or a ledger. */
export interface DatabasePages {
  /** The page of all documents. */
  readonly all: string;
  /** The path of a document is this path plus its encoded id. */
  readonly docs: string;
  /** The path of a saved query is this path plus its encoded id. */
  readonly query: string;
  readonly history: string;
  /** Whether the database syncs with a ledger here. */
  readonly isShared: boolean;
}

export const localPages = (path: string): DatabasePages => ({
  all: path,
  docs: `${path}/docs`,
  query: `${path}/query`,
  history: `${path}/history`,
  isShared: false,
});

export const ledgerPages = (path: string): DatabasePages => ({
  all: `${path}/documents`,
  docs: `${path}/documents`,
  query: `${path}/query`,
  history: `${path}/history`,
  isShared: true,
});
