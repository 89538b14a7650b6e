export const LEDGER_PLACEHOLDER = '<ledger id>';

export interface SnippetParts {
  /** Address of the cloud. */
  readonly base: string;
  readonly tenant: string;
  readonly ledger: string;
  readonly token: string;
}

/** Code that attaches a database of an application to a ledger. It runs as it stands, once the placeholder is replaced. */
export const snippetFor = ({ base, tenant, ledger, token }: SnippetParts): string =>
  `import { fixpoint, toCloud } from 'fixpoint';

const db = fixpoint('my-app');

await db.attach(
  toCloud({
    base: '${base}',
    tenant: '${tenant}',
    ledger: '${ledger}',
    token: '${token}',
  }),
);

await db.put({ hello: 'world' });
`;
