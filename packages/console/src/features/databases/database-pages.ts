/** Where the pages of a database are, be it one of this browser alone or a ledger. */
export interface DatabasePages {
  /** All documents. */
  readonly all: string;
  /** Paths of documents are this and their encoded id. */
  readonly docs: string;
  /** Paths of saved queries are this and their encoded id. */
  readonly query: string;
  readonly history: string;
  /** Whether it syncs with a ledger here. */
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
