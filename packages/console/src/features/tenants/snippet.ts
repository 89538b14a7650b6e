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

const optionsFor = ({ base, tenant, ledger, token, kind }: SnippetParts): string => `{
  base: '${base}',
  tenant: '${tenant}',
  ledger: '${ledger}',
  token: '${token}',
  kind: '${kind ?? 'open-key'}',${kind === undefined ? OTHER_KIND : ''}
}`;

const indented = (text: string, by: string): string => text.replaceAll('\n', `\n${by}`);

/**
 * Returns code that attaches an app's database to a ledger. The code runs once the user has
 * replaced the placeholder.
 */
export const snippetFor = (parts: SnippetParts): string =>
  `import { fixpoint, toCloud } from 'fixpoint';

const db = fixpoint('my-app');

await db.attach(
  toCloud(${indented(optionsFor(parts), '  ')}),
);

await db.put({ hello: 'world' });
`;

const reactSnippet = (parts: SnippetParts): string =>
  `import { useFixpoint } from '@fixpoint/react';

const attach = ${optionsFor(parts)};

export function App() {
  const { database, useLiveQuery } = useFixpoint('my-app', { attach });
  const { docs } = useLiveQuery('_id');
  return (
    <button onClick={() => database.put({ hello: 'world' })}>
      {docs.length} documents
    </button>
  );
}
`;

/** The token names the ledger, because these clients pass no ids. */
const existingSnippet = ({ base, token }: SnippetParts): string => {
  const { host, pathname, protocol } = new URL(base);
  const url = `fpcloud://${host}${pathname}?protocol=${protocol === 'https:' ? 'wss' : 'ws'}`;
  return `import { fireproof } from '@fireproof/core';
import { SimpleTokenStrategy, toCloud } from '@fireproof/core-gateways-cloud';

const db = fireproof('my-app');

await db.attach(
  toCloud({
    urls: { base: '${url}' },
    strategy: new SimpleTokenStrategy('${token}'),
  }),
);

await db.put({ hello: 'world' });
`;
};

export interface SnippetVariant {
  readonly id: string;
  readonly text: string;
  /** Installs what the code imports. */
  readonly install: string;
  readonly file: string;
  code(parts: SnippetParts): string;
  /** Returns why the code can't work. */
  problem?(isChosen: boolean, kind: LedgerKind | undefined): string | undefined;
}

function existingProblem(isChosen: boolean, kind: LedgerKind | undefined): string | undefined {
  if (!isChosen) return 'Choose a database first: the token then opens this database.';
  if (kind !== 'sealed') return undefined;
  return 'Existing clients can’t open end-to-end encrypted databases. Choose one that the server can read.';
}

/** The code for each kind of app. */
export const SNIPPETS: readonly [SnippetVariant, ...SnippetVariant[]] = [
  { id: 'node', text: 'Node', install: 'npm install fixpoint', file: 'app.ts', code: snippetFor },
  {
    id: 'react',
    text: 'React',
    install: 'npm install fixpoint @fixpoint/react',
    file: 'app.tsx',
    code: reactSnippet,
  },
  {
    id: 'existing',
    text: 'Existing clients',
    install: 'npm install @fireproof/core @fireproof/core-gateways-cloud',
    file: 'app.ts',
    code: existingSnippet,
    problem: existingProblem,
  },
];
