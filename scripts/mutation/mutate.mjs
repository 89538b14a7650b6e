/**
 * Parses source code and finds changes that tests should notice, such as a reversed comparison, a
 * condition that is never true, or an omitted call. Each change is a range of a file and the text
 * that replaces this range. Files on disk stay unchanged.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import ts from 'typescript-api';

const SWAPPED = new Map([
  [ts.SyntaxKind.EqualsEqualsEqualsToken, '!=='],
  [ts.SyntaxKind.ExclamationEqualsEqualsToken, '==='],
  [ts.SyntaxKind.LessThanToken, '<='],
  [ts.SyntaxKind.LessThanEqualsToken, '<'],
  [ts.SyntaxKind.GreaterThanToken, '>='],
  [ts.SyntaxKind.GreaterThanEqualsToken, '>'],
  [ts.SyntaxKind.AmpersandAmpersandToken, '||'],
  [ts.SyntaxKind.BarBarToken, '&&'],
  [ts.SyntaxKind.MinusToken, '+'],
  [ts.SyntaxKind.PlusEqualsToken, '-='],
]);
const RENAMED = new Map([
  ['some', 'every'],
  ['every', 'some'],
  ['min', 'max'],
  ['max', 'min'],
]);
/**
 * Names of methods whose calls a change may omit. The change replaces `object.method(...)` with
 * `object`.
 */
const LEFT_OUT = new Set(['filter', 'sort', 'reverse', 'toSorted', 'where']);

/** Returns all changes of a file, ordered by position. */
export function mutantsOf(path) {
  const code = readFileSync(path, 'utf8');
  const file = ts.createSourceFile(path, code, ts.ScriptTarget.ESNext, true);
  const found = [];
  const add = (start, end, text, what) => {
    const line = file.getLineAndCharacterOfPosition(start).line + 1;
    found.push({ path, start, end, text, line, what });
  };
  const replace = (node, text, what) => add(node.getStart(file), node.getEnd(), text, what);

  function visit(node) {
    // Types have no effect at run time.
    if (ts.isTypeNode(node) || ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node)) return;
    if (ts.isBinaryExpression(node)) {
      const to = SWAPPED.get(node.operatorToken.kind);
      if (to !== undefined) replace(node.operatorToken, to, `${node.operatorToken.getText(file)} -> ${to}`);
    } else if (ts.isPrefixUnaryExpression(node) && node.operator === ts.SyntaxKind.ExclamationToken)
      replace(node, node.operand.getText(file), 'without !');
    else if (ts.isIfStatement(node)) replace(node.expression, 'false', 'if (false)');
    else if (ts.isConditionalExpression(node)) {
      const [yes, no] = [node.whenTrue.getText(file), node.whenFalse.getText(file)];
      add(node.whenTrue.getStart(file), node.whenFalse.getEnd(), `${no} : ${yes}`, 'swapped ? :');
    } else if (node.kind === ts.SyntaxKind.TrueKeyword) replace(node, 'false', 'true -> false');
    else if (node.kind === ts.SyntaxKind.FalseKeyword) replace(node, 'true', 'false -> true');
    else if (ts.isExpressionStatement(node) && isCall(node.expression))
      replace(node, ';', 'without the call');
    else if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression)) {
      const { name, expression } = node.expression;
      const to = RENAMED.get(name.text);
      if (to !== undefined) replace(name, to, `${name.text} -> ${to}`);
      if (LEFT_OUT.has(name.text)) replace(node, expression.getText(file), `without ${name.text}`);
    }
    ts.forEachChild(node, visit);
  }
  visit(file);
  return found;
}

const isCall = (node) =>
  ts.isCallExpression(node) ||
  ((ts.isAwaitExpression(node) || ts.isVoidExpression(node)) && isCall(node.expression));

const orderOf = ({ path, start, text }, seed) =>
  createHash('sha256').update(`${seed}\n${path}\n${start}\n${text}`).digest('hex');

/**
 * Returns `count` of the changes, chosen by the seed. Adding a change doesn't affect the choice
 * among the others.
 */
export const sampleOf = (mutants, count, seed) =>
  mutants
    .map((mutant) => ({ mutant, order: orderOf(mutant, seed) }))
    .sort((a, b) => (a.order < b.order ? -1 : 1))
    .slice(0, count)
    .map(({ mutant }) => mutant);
