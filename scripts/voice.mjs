/**
 * The voice check: finds words and sentence shapes that make our comments, test titles, documents
 * and interface texts hard to read, and long lines. tests/architecture/voice.test.ts runs it.
 *
 * `node scripts/voice.mjs [path prefix ...]` lists what it finds.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript-api';
import { withKeptResults } from './kept-results.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** These pages are generated from docstrings and tables, which are checked themselves. */
const GENERATED = new Set(['docs/guide/api.md', 'docs/access.md']);
/** These files quote the words that this check looks for. */
const QUOTES_THEM = new Set(['scripts/voice.mjs', 'tests/architecture/voice.test.ts']);

const COMMENT_COLUMNS = 100;
const MARKDOWN_COLUMNS = 120;

/** Words that no text may use, each with advice on what to write instead. */
const WORDS = [
  [/\banew\b/i, 'write "again"'],
  [/\bmeanwhile\b/i, 'write "while ..." or name the moment'],
  [/\bso many\b/i, 'write the number, or N'],
  [/\bon (its|their) way\b/i, 'write "in transit", "pending" or "is sent"'],
  [/\bas (it|they|all) (was|were) then\b/i, 'write "the version of that time"'],
  [/\bwhoever\b/i, 'name the person: "a member who ..."'],
  [/\b(is|are|was|were|be|been) told\b/i, 'write "is notified", or name who reports it'],
  [/\b(he|him|his|himself)\b/i, 'write "they", or "you" in guides'],
  [
    /(?<!\b(there|it|which|that|nothing|none|what|one) )\b(is|are) no (?!longer\b|more\b|less\b|other\b|one\b|different\b|matter\b|earlier\b|later\b|larger\b|smaller\b|longer\b)[a-z]+/i,
    'write "isn\'t a ..." or "there is no ..."',
  ],
];

/**
 * Sentence shapes that hide the subject. The check applies them at the start of a comment, a title
 * or a sentence.
 */
const SHAPES = [
  [/^(What|Who|Whom|Whose) [^?]*[^?:]$/, 'name the subject instead of "what" or "who", or start with a verb'],
  [/^Of (?!course\b)[^?]*$/, 'start with the subject: "Long archives are read ..."'],
];

/** Plurals that start a title and end in -s like a verb, but aren't verbs. */
const NOUNS = new Set(
  (
    'accounts actions addresses administrators admins applications archives arguments ' +
    'attachments blocks books branches browsers buttons bytes cells chapters characters classes ' +
    'clients clocks codes collections columns commands conditions conflicts connections ' +
    'constants counters credentials cursors databases dates days deletions devices documents ' +
    'drafts editors emails engines entries errors events examples failures features fields ' +
    'floats folders forms functions gaps genesis handlers hashes headers heads hours ids ' +
    'integers invitations invites items its jobs journeys keys kinds ledgers lengths letters ' +
    'lines losers members memberships messages metas methods minutes mistakes modules networks ' +
    'nodes objects observers operations options organisations organizations others outages ' +
    'owners packages parameters parents passwords paths people pieces policies positions ' +
    'prefixes programs proofs properties providers quotas readers references releases remotes ' +
    'replicas replies responses results rights roles rooms routes rows rules scripts seconds ' +
    'secrets sections servers sessions settings shards signatures snapshots sockets strings ' +
    'subscribers subscriptions suggestions surrogates symbols tables tabs tasks tenants this ' +
    'threads titles tokens tools transactions trees tries urls users validators vectors verbs ' +
    'versions waitlists windows words workers writers zeros'
  ).split(' '),
);
/** First words that may precede the verb. */
const FIRST_WORDS = new Set("can can't cannot doesn't doesn’t isn't never".split(' '));

const sentencesOf = (text) =>
  text
    .split(/\n+(?=@|- )/)
    .flatMap((paragraph) =>
      paragraph
        .replace(/\s+/g, ' ')
        .replace(/^@param \S+ /, '')
        .split(/(?<=[.!?:])\s+(?=[A-Z`"'([])/),
    )
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== '');

/**
 * Returns the faults of a text. Each fault has the sentence and the advice on what to write
 * instead.
 */
function faultsOf(text, { shapes }) {
  return sentencesOf(text).flatMap((sentence) => {
    const bare = sentence.replace(/`[^`]*`/g, 'it').replace(/"[^"]*"/g, '"it"');
    return [
      ...WORDS.filter(([sign]) => sign.test(bare)),
      ...(shapes ? SHAPES.filter(([sign]) => sign.test(bare)) : []),
    ].map(([, advice]) => ({ sentence, advice }));
  });
}

const LITERALS = new Set([
  ts.SyntaxKind.StringLiteral,
  ts.SyntaxKind.NoSubstitutionTemplateLiteral,
  ts.SyntaxKind.TemplateHead,
  ts.SyntaxKind.TemplateMiddle,
  ts.SyntaxKind.TemplateTail,
  ts.SyntaxKind.RegularExpressionLiteral,
  ts.SyntaxKind.JsxText,
]);

/** Returns a source of the same length without the contents of literals, which can look like comments. */
function withoutLiterals(source) {
  const parts = [];
  let end = 0;
  const visit = (node) => {
    if (LITERALS.has(node.kind)) {
      const start = node.kind === ts.SyntaxKind.JsxText ? node.pos : node.getStart(source);
      parts.push(source.text.slice(end, start), '_'.repeat(node.end - start));
      end = node.end;
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return parts.join('') + source.text.slice(end);
}

/** Returns the comments of a source as blocks of text. Consecutive `//` lines are one block. */
function commentsOf(source) {
  const text = source.text;
  const found = [];
  const add = (start, raw) => {
    const line = source.getLineAndCharacterOfPosition(start).line + 1;
    const content = raw
      .replace(/^\/\*+|\*+\/$|^\/\//g, '')
      .replace(/^\s*\*+ ?/gm, '')
      .trim();
    if (/^(@ts-|biome-ignore|eslint|v8 |@vitest|#__PURE__|oxlint)/.test(content)) return;
    const last = found.at(-1);
    const isLine = raw.startsWith('//');
    if (isLine && last?.isLine && last.end + 1 === line)
      Object.assign(last, { text: `${last.text} ${content}`, end: line });
    else found.push({ line, end: line, text: content, isLine });
  };
  for (const { index, 0: match } of withoutLiterals(source).matchAll(/\/\*[\s\S]*?\*\/|\/\/.*/g))
    add(index, text.slice(index, index + match.length));
  return found;
}

const isTestCall = (node) => {
  if (!ts.isCallExpression(node)) return undefined;
  const [, name] = /^(test|it|describe)\b/.exec(node.expression.getText()) ?? [];
  return name;
};

const wordsIn = (node) =>
  ts.isStringLiteralLike(node)
    ? node.text
    : ts.isTemplateExpression(node)
      ? node.head.text + node.templateSpans.map((span) => `N${span.literal.text}`).join('')
      : undefined;

function titleFault(title) {
  const bare = title.replace(/^(\[[^\]]*\]\s*)+/, '');
  // A subject with a colon may precede the verb.
  return [bare, bare.replace(/^[^:]{1,40}: /, '')].some(startsWithVerb)
    ? undefined
    : 'start the title with a verb: "reports ...", "deletes ...", "keeps ..."';
}

function startsWithVerb(text) {
  const [first = ''] = text.split(/[\s,:;]/);
  // Titles to skip: values of a table of cases, and texts of the specification.
  if (!/^[a-z]/.test(first) || /[$%]/.test(first)) return true;
  return FIRST_WORDS.has(first) || (/^[a-z-]+s$/.test(first) && !/(ss|us)$/.test(first) && !NOUNS.has(first));
}

/**
 * Returns the faults of TypeScript or JavaScript: its comments, test titles, and texts of more than
 * three words.
 */
function faultsOfSource(path, content) {
  const kind = path.endsWith('x')
    ? ts.ScriptKind.TSX
    : /js$/.test(path)
      ? ts.ScriptKind.JS
      : ts.ScriptKind.TS;
  const source = ts.createSourceFile(path, content, ts.ScriptTarget.Latest, true, kind);
  const faults = [];
  const lineOf = (node) => source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1;
  const report = (line, found) => faults.push(...found.map((fault) => ({ path, line, ...fault })));
  const lines = content.split('\n');

  for (const { line, text } of commentsOf(source)) report(line, faultsOf(text, { shapes: true }));
  for (const [at, line] of lines.entries())
    if (
      line.length > COMMENT_COLUMNS &&
      /^\s*(\/\/|\/\*|\*)/.test(line) &&
      !/https?:\/\/|biome-ignore/.test(line)
    )
      report(at + 1, [{ sentence: line.trim(), advice: `wrap the comment at ${COMMENT_COLUMNS} columns` }]);

  const isTest = /\.test\.tsx?$|-suite\.tsx?$/.test(path);
  const isShown = /^packages\/[^/]+\/src\//.test(path) && !/\.(test|fixture)\.tsx?$/.test(path);
  const visit = (node) => {
    const called = isTest ? isTestCall(node) : undefined;
    const title = called === undefined ? undefined : node.arguments[0] && wordsIn(node.arguments[0]);
    if (title !== undefined) {
      report(lineOf(node), faultsOf(title.replace(/^(\[[^\]]*\]\s*)+/, ''), { shapes: true }));
      const advice = called === 'describe' ? undefined : titleFault(title);
      if (advice !== undefined) report(lineOf(node), [{ sentence: title, advice }]);
    } else if (isShown) {
      const text = ts.isJsxText(node) ? node.text.replace(/\s+/g, ' ').trim() : wordsIn(node);
      if (text !== undefined && /^\W?[A-Z]\S*( \S+){3}/.test(text))
        report(lineOf(node), faultsOf(text, { shapes: false }));
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return faults;
}

/**
 * Returns the faults of Markdown: its paragraphs and lists. The line length of code, tables and
 * links isn't checked.
 */
function faultsOfMarkdown(path, content) {
  const faults = [];
  let fenced = false;
  let block;
  const close = () => {
    if (block !== undefined)
      faults.push(
        ...faultsOf(block.text, { shapes: block.shapes }).map((fault) => ({
          path,
          line: block.line,
          ...fault,
        })),
      );
    block = undefined;
  };
  for (const [at, line] of content.split('\n').entries()) {
    if (/^\s*(```|~~~)/.test(line)) fenced = !fenced;
    if (fenced || /^\s*(```|~~~)/.test(line) || line.trim() === '') {
      close();
      continue;
    }
    const isTable = line.trimStart().startsWith('|');
    const isHeading = line.startsWith('#');
    if (!isTable && line.length > MARKDOWN_COLUMNS && !/^\s*(\[|[-*] \[|!\[)|\]\([^)]*\)[.,;)]?$/.test(line))
      faults.push({
        path,
        line: at + 1,
        sentence: line.slice(0, 90),
        advice: `wrap the line at ${MARKDOWN_COLUMNS} columns`,
      });
    const text = line.replace(/\]\([^)]*\)/g, ']').replace(/^\s*([-*]|\d+\.|#+|>)\s+/, '');
    if (isTable || isHeading) {
      close();
      for (const cell of isTable ? text.split('|') : [text])
        faults.push(
          ...faultsOf(cell.trim(), { shapes: false }).map((fault) => ({ path, line: at + 1, ...fault })),
        );
    } else if (block === undefined || /^\s*([-*]|\d+\.)\s/.test(line)) {
      close();
      block = { line: at + 1, text, shapes: true };
    } else block.text += ` ${text.trim()}`;
  }
  close();
  return faults;
}

/**
 * Returns every fault in the tracked files, or in the files whose path starts with one of
 * `prefixes`.
 */
export function voiceFaults(prefixes = ['']) {
  const paths = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
    cwd: ROOT,
    encoding: 'utf8',
  })
    .split('\n')
    .filter((path) => /\.(tsx?|mts|mjs|js|md)$/.test(path) && !/\/vectors\//.test(path))
    .filter((path) => !GENERATED.has(path) && !QUOTES_THEM.has(path))
    .filter((path) => prefixes.some((prefix) => path.startsWith(prefix)) && existsSync(resolve(ROOT, path)));
  return withKeptResults('voice', import.meta.url, (kept) =>
    paths.flatMap((path) => {
      const content = readFileSync(resolve(ROOT, path), 'utf8');
      return kept(`${path}\n${content}`, () => faultsOfText(path, content));
    }),
  );
}

/** Returns the faults of a file with the given content. The path decides which rules apply. */
export function faultsOfText(path, content) {
  return path.endsWith('.md') ? faultsOfMarkdown(path, content) : faultsOfSource(path, content);
}

export const lineOfFault = ({ path, line, sentence, advice }) => `${path}:${line} "${sentence}": ${advice}`;

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const prefixes = process.argv.slice(2);
  const faults = voiceFaults(prefixes.length === 0 ? [''] : prefixes);
  for (const fault of faults) console.log(lineOfFault(fault));
  console.log(`${faults.length} faults`);
}
