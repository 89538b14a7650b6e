import { REQUESTS, type RequestType } from '@fixpoint/protocol/admin';
import { CREDENTIALS } from './credentials.ts';
import { adminNeed, GATEWAY_ROWS, type Outcome, outcomeOf, TARGETS, type Worth } from './table.ts';

const WORTHS: Readonly<Record<Worth, string>> = {
  unsigned: 'not accepted',
  barred: 'valid, but opens nothing',
  reader: 'can read',
  writer: 'can write',
};
const SHOWN: Readonly<Record<Outcome, string>> = {
  allowed: 'yes',
  NOT_SIGNED_IN: 'not signed in',
  NOT_FOUND: 'Not found',
  FORBIDDEN: 'forbidden',
};
const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
const table = (head: readonly string[], rows: readonly (readonly string[])[]) =>
  [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');

/** Returns docs/access.md. */
export function accessDocument(): string {
  const worths = Object.keys(WORTHS) as Worth[];
  const cell = (row: (typeof GATEWAY_ROWS)[number], worth: Worth) => {
    const [own, ...others] = TARGETS.map((target) => SHOWN[outcomeOf(row, worth, target)]);
    const rest = [...new Set(others)].join('/');
    return own === rest ? rest : `own: ${own}; else: ${rest}`;
  };
  return `# Who may do what

This page is generated from the table that the access tests use (\`packages/cloud/tests/access\`).
The tests check each cell over HTTP and over a websocket, with each credential below and each
target: ${TARGETS.join(', ')}. The server answers "Not found" for a target
that doesn't exist and for one that the caller can't see, in the same words. A rejected request has
no effect.

For each request, the server reads the rights from its tables, or from a copy that is at most five
seconds old. A token can only narrow these rights, to the ledgers and rights that it contains.

## The storage gateway

${table(
  ['Request', 'Does', 'Needs', ...worths.map((worth) => WORTHS[worth])],
  GATEWAY_ROWS.map((row) => [
    `\`${row.type}\``,
    row.does,
    row.needs,
    ...worths.map((worth) => cell(row, worth)),
  ]),
)}

Only the user who opened a connection can close it. All requests except \`reqGestalt\` and \`reqOpen\`
need an open connection.

## Credentials

${worths
  .map((worth) => {
    const names = CREDENTIALS.filter((credential) => credential.worth === worth).map(
      ({ name }) => `- ${name}`,
    );
    return `**${WORTHS[worth]}** (${names.length})\n\n${names.join('\n')}`;
  })
  .join('\n\n')}

## The admin API

Members who see a tenant or ledger and lack a right get 403 \`FORBIDDEN\` and a sentence that says
who has it. For anything that the caller can't see, the answer is 404 \`NOT_FOUND\`, as if it didn't
exist.

${table(
  ['Request', 'Does', 'Needs'],
  (Object.keys(REQUESTS) as RequestType[]).map((type) => [
    `\`${type}\``,
    REQUESTS[type].description,
    adminNeed(type),
  ]),
)}
`;
}
