/**
 * Builds the reference of the public interface, docs/guide/api.md, from the exports and their
 * docstrings. `node scripts/api.mjs` writes the page; a test fails when the page is out of date.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript-api';
import { withKeptResults } from './kept-results.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const PLACE = resolve(ROOT, 'docs/guide/api.md');

const ENTRIES = [
  ['fixpoint', 'packages/engine/src/entries/index.ts', 'The database.'],
  ['fixpoint (in Node)', 'packages/engine/src/entries/node.ts', 'As above, with the differences in Node.'],
  [
    'fixpoint/rows',
    'packages/engine/src/entries/rows.ts',
    'Windows, cursors and streams over large databases.',
  ],
  ['fixpoint/feed', 'packages/engine/src/entries/feed.ts', 'All changes in pages, oldest first.'],
  [
    'fixpoint/live',
    'packages/engine/src/entries/live.ts',
    'Values of a database that change, for user interfaces of any framework.',
  ],
  ['fixpoint/bridge', 'packages/engine/src/entries/bridge.ts', 'Databases in a worker: the page side.'],
  ['fixpoint/worker', 'packages/engine/src/entries/worker.ts', 'Databases in a worker: the worker side.'],
  [
    'fixpoint/testing',
    'packages/engine/src/testing/fake-cloud.ts',
    'For tests of applications: databases in memory, and a cloud without a server.',
  ],
  [
    'fixpoint/opfs',
    'packages/engine/src/entries/opfs.ts',
    'Databases in the private file system of a browser.',
  ],
  ['fixpoint/sqlite', 'packages/engine/src/entries/sqlite.ts', 'Databases in an SQLite file.'],
  ['fixpoint/store', 'packages/engine/src/testing/store.ts', 'For authors of stores.'],
  [
    'fixpoint/sandbox',
    'packages/engine/src/entries/sandbox.ts',
    'Sandboxes that run the text of map functions.',
  ],
  ['fixpoint/session', 'packages/engine/src/entries/session.ts', 'Sign-in for the users of an application.'],
  ['@fixpoint/react', 'packages/react/src/index.ts', 'Hooks and components.'],
  ['@fixpoint/server', 'packages/server/src/index.ts', 'For the back end of an application.'],
  ['@fixpoint/vue', 'packages/vue/src/index.ts', 'Live values in Vue.'],
  ['@fixpoint/svelte', 'packages/svelte/src/index.ts', 'Live values in Svelte.'],
  ['@fixpoint/solid', 'packages/solid/src/index.ts', 'Live values in Solid.'],
  [
    'fixpoint/fireproof',
    'packages/engine/src/entries/fireproof.ts',
    'The database with the names and shapes of `@fireproof/core`: see [switching.md](switching.md).',
  ],
  [
    '@fixpoint/react/fireproof',
    'packages/react/src/fireproof.ts',
    'The hooks with the names of `use-fireproof`.',
  ],
];

const OPTIONS = {
  target: ts.ScriptTarget.ES2023,
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  jsx: ts.JsxEmit.ReactJSX,
  allowImportingTsExtensions: true,
  noEmit: true,
  strict: true,
  exactOptionalPropertyTypes: true,
  customConditions: ['fixpoint-source'],
  skipLibCheck: true,
  types: ['node'],
};

/**
 * Returns the public names of each entry, with the declaration, docstring and members of each name.
 * They are the result of the last call if no source of a package has changed since.
 */
export function publicInterface() {
  const sources = execFileSync('git', ['ls-files', '-co', '--exclude-standard', 'packages/*/src/*.ts*'], {
    cwd: ROOT,
    encoding: 'utf8',
  })
    .split('\n')
    .filter((path) => path !== '' && existsSync(resolve(ROOT, path)))
    .map((path) => `${path}\n${readFileSync(resolve(ROOT, path), 'utf8')}`);
  return withKeptResults('api', import.meta.url, (kept) => kept(sources.join('\n'), readInterface));
}

function readInterface() {
  const program = ts.createProgram(
    ENTRIES.map(([, path]) => resolve(ROOT, path)),
    OPTIONS,
  );
  const checker = program.getTypeChecker();
  const described = new Set();
  return ENTRIES.map(([entry, path, says]) => {
    const module = checker.getSymbolAtLocation(program.getSourceFile(resolve(ROOT, path)));
    const exported = checker
      .getExportsOfModule(module)
      .map((symbol) => [
        symbol.name,
        symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol,
      ])
      .sort(([a], [b]) => (a < b ? -1 : 1));
    const names = exported.map(([name, symbol]) => {
      const known = described.has(symbol);
      described.add(symbol);
      return { name, known, ...describe(checker, symbol) };
    });
    return { entry, says, names };
  });
}

function describe(checker, symbol) {
  const declarations = symbol.declarations ?? [];
  const members = declarations.filter(ts.isInterfaceDeclaration).flatMap((one) => one.members);
  return {
    text: declarations.map(signatureOf).join('\n'),
    doc: docOf(checker, symbol),
    members: members.map((member) => ({
      name: member.name?.getText() ?? '',
      text: oneLine(member.getText()).replace(/;$/, ''),
      doc: member.name === undefined ? '' : docOf(checker, checker.getSymbolAtLocation(member.name)),
      isMethod: ts.isMethodSignature(member),
    })),
  };
}

/** Returns a declaration without its internal parts. */
function signatureOf(node) {
  const source = node.getSourceFile();
  if (ts.isFunctionDeclaration(node) && node.body !== undefined)
    return oneLine(source.text.slice(node.getStart(), node.body.getStart())).replace(/^export (async )?/, '');
  if (ts.isInterfaceDeclaration(node))
    return oneLine(source.text.slice(node.getStart(), node.members.pos - 1)).replace(/^export /, '');
  if (ts.isVariableDeclaration(node)) return `const ${oneLine(node.name.getText())}`;
  if (ts.isClassDeclaration(node)) return `class ${node.name?.getText()}`;
  return oneLine(node.getText()).replace(/^export /, '');
}

const oneLine = (text) =>
  text
    .replaceAll(/\/\*\*[\s\S]*?\*\//g, '')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/\(\s/g, '(')
    .replaceAll(/,?\s\)/g, ')')
    .replace(/^readonly /, '')
    .trim();

function docOf(checker, symbol) {
  const text = ts.displayPartsToString(symbol.getDocumentationComment(checker));
  const tags = symbol.getJsDocTags(checker).map(({ name, text: said }) => {
    const words = ts.displayPartsToString(said);
    return name === 'throws'
      ? `Fails with: ${words}`
      : `\`${words.split(' ')[0]}\`: ${words.split(' ').slice(1).join(' ')}`;
  });
  return [text, ...tags]
    .join('\n')
    .replaceAll(/\{@link ([^}]+)\}/g, '`$1`')
    .trim();
}

/** Returns the text of docs/guide/api.md from the result of {@link publicInterface}. */
export function apiReference(entries) {
  const parts = [
    '# Reference of the public interface',
    '',
    '`node scripts/api.mjs` writes this page from the exports and their docstrings. Every call that can',
    'fail rejects with a `FixpointError`, whose `code` is stable.',
  ];
  for (const { entry, says, names } of entries) {
    parts.push('', `## \`${entry.split(' ')[0]}\`${entry.includes(' ') ? ' in Node' : ''}`, '', says);
    const again = names.filter(({ known }) => known).map(({ name }) => `\`${name}\``);
    if (again.length > 0) parts.push('', `The same as above: ${again.join(', ')}.`);
    for (const one of names.filter(({ known }) => !known)) parts.push(...described(one));
  }
  return `${parts.join('\n')}\n`;
}

function* described({ name, text, doc, members }) {
  yield* ['', `### ${name}`, '', '```ts', text, '```'];
  if (doc !== '') yield* ['', doc];
  if (members.length > 0) yield '';
  for (const member of members)
    yield member.doc === ''
      ? `- \`${member.text}\``
      : `- \`${member.text}\`  \n  ${member.doc.replaceAll('\n', '\n  ')}`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(PLACE, apiReference(publicInterface()));
