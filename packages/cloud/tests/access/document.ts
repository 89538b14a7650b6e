import { REQUESTS, type RequestType } from '@fixpoint/protocol/admin';
import { CREDENTIALS } from './credentials.ts';
import { adminNeed, GATEWAY_ROWS, type Outcome, outcomeOf, TARGETS, type Worth } from './table.ts';

const WORTHS: Readonly<Record<Worth, string>> = {
  unsigned: 'nobody vouches for it',
  barred: 'a valid token that opens nothing',
  reader: 'may read',
  writer: 'may write',
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

/** docs/access.md, whole. */
export function accessDocument(): string {
  const worths = Object.keys(WORTHS) as Worth[];
  const cell = (row: (typeof GATEWAY_ROWS)[number], worth: Worth) => {
    const [own, ...others] = TARGETS.map((target) => SHOWN[outcomeOf(row, worth, target)]);
    const rest = [...new Set(others)].join('/');
    return own === rest ? rest : `own: ${own}; else: ${rest}`;
  };
  return `# Who may do what

Printed by the table from which the access tests are made (\`packages/cloud/tests/access\`); a test checks that this page is what the table prints. Each cell is
asked over HTTP and over a websocket, with each credential below and each target: ${TARGETS.join(', ')}. "Not found" is said of what is not there and of what
one may not see, in the same words. What was refused had no effect.

Rights are looked up in the tables with each request, at most five seconds old; a token only says what it is for.

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

Closing needs the connection of the same user; all requests but \`reqGestalt\` and \`reqOpen\` need one that is open.

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

Members who see a tenant or ledger and lack a right get 403 \`FORBIDDEN\` and a sentence that says who has it. What the caller can't see is 404
\`NOT_FOUND\`, like what doesn't exist.

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
