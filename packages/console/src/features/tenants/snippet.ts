import type { LedgerKind } from '../../cloud/ledgers/known-kinds.ts';

export const LEDGER_PLACEHOLDER = '<ledger id>';

export interface SnippetParts {
  /** Address of the cloud. */
  readonly base: string;
  readonly tenant: string;
  readonly ledger: string;
  readonly token: string;
  /**
   * Undefined while no database is chosen, or until the first write to the database decides its
   * kind.
   */
  readonly kind: LedgerKind | undefined;
}

const OTHER_KIND = " // or 'sealed', if you created the database with end-to-end encryption";

/**
 * Returns code that attaches an app's database to a ledger. The code runs once the user has
 * replaced the placeholder.
 */
export const snippetFor = ({ base, tenant, ledger, token, kind }: SnippetParts): string =>
  `import { fixpoint, toCloud } from 'fixpoint';

const db = fixpoint('my-app');

await db.attach(
  toCloud({
    base: '${base}',
    tenant: '${tenant}',
    ledger: '${ledger}',
    token: '${token}',
    kind: '${kind ?? 'open-key'}',${kind === undefined ? OTHER_KIND : ''}
  }),
);

await db.put({ hello: 'world' });
`;
