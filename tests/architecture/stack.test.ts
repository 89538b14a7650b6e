/**
 * Arguments of a call take stack space, so spreading a list that grows with the data could overflow
 * the stack.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import ts from 'typescript-api';
import { describe, expect, test } from 'vitest';
import { withKeptResults } from '../../scripts/kept-results.mjs';

/**
 * Spreads of lists that stay short: the file, the spread expression, and what the list contains.
 */
const SHORT: readonly (readonly [path: string, spread: string, why: string])[] = [
  ['packages/cli/src/command.ts', "shown.map(([left = '']) => left.length)", 'options of a command'],
  ['packages/cli/src/main.ts', 'Object.keys(COMMANDS).map((name) => name.length)', 'our commands'],
  ['packages/console/src/values/plain-json.ts', 'bytes.subarray(at, at + PIECE)', 'a piece of fixed size'],
  ['packages/engine/src/base/p256.ts', 'fromText(d)', 'a number of the curve'],
  ['packages/engine/src/base/p256.ts', 'fromText(x)', 'a number of the curve'],
  ['packages/engine/src/base/p256.ts', 'fromText(y)', 'a number of the curve'],
  ['packages/engine/src/base/p256.ts', 'both.subarray(0, SCALAR_BYTES)', 'a number of the curve'],
  ['packages/engine/src/base/p256.ts', 'publicKey', 'a point of the curve'],
  ['packages/engine/src/base/p256.ts', 'bytes', 'a number of the curve'],
  [
    'packages/engine/src/bridge/session.ts',
    '(unpack(args, partsOf(on)) as unknown[])',
    'arguments of a call',
  ],
  ['packages/engine/src/bridge/things.ts', 'args', 'arguments of a call'],
  ['packages/engine/src/codec/cid.ts', 'new Uint8Array(CID_BYTES - DIGEST_AT)', 'a digest'],
  ['packages/engine/src/platform/browser/indexeddb-key-bag.ts', 'iv', 'an initialization vector'],
  ['packages/engine/src/platform/browser/indexeddb-key-bag.ts', 'new Uint8Array(data)', 'a sealed key'],
  ['packages/engine/src/prolly/node.ts', "utf8('leaf')", 'a constant'],
  ['packages/engine/src/prolly/node.ts', "utf8('branch')", 'a constant'],
  ['packages/engine/src/prolly/node.ts', "utf8('closed')", 'a constant'],
  [
    'packages/engine/src/sync/up/merge-groups.ts',
    'bytes.subarray(2, 2 + MARK_KEY.length)',
    'a constant length',
  ],
];

const sources = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  encoding: 'utf8',
})
  .split('\n')
  .filter((path) => /^packages\/[^/]+\/src\/.*\.tsx?$/.test(path) && !/\.(test|fixture)\.tsx?$/.test(path))
  .filter((path) => existsSync(path));

/**
 * Returns whether a name is a rest parameter of an enclosing function. Callers of such a function
 * write out the items, so the list is short.
 */
function isForwarded(name: string, from: ts.Node): boolean {
  for (let node = from; node !== undefined; node = node.parent)
    if (ts.isFunctionLike(node))
      for (const { dotDotDotToken, name: own } of node.parameters)
        if (dotDotDotToken !== undefined && own.getText() === name) return true;
  return false;
}

/**
 * Lists the spreads in call arguments, except spreads of the enclosing function's own arguments.
 */
function spreadsIn(path: string, text: string): string[] {
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) || ts.isNewExpression(node))
      for (const argument of node.arguments ?? [])
        if (ts.isSpreadElement(argument) && !isForwarded(argument.expression.getText(), node))
          found.push(argument.expression.getText());
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true));
  return found;
}

describe('[R20] arguments of calls', () => {
  test('never spread a list that grows with the data', () => {
    const known = new Set(SHORT.map(([path, spread]) => `${path}: ${spread}`));
    const found = withKeptResults('spreads', import.meta.url, (kept) =>
      sources.flatMap((path) => {
        const text = readFileSync(path, 'utf8');
        if (!text.includes('...')) return [];
        return kept(text, () => spreadsIn(path, text)).map((spread) => `${path}: ${spread}`);
      }),
    );
    expect(found.filter((one) => !known.has(one))).toEqual([]);
    expect([...known].filter((one) => !found.includes(one))).toEqual([]);
  });

  test('can spread the arguments of the enclosing function', () => {
    expect(spreadsIn('a.ts', 'const f = (...given: number[]) => g(...given);')).toEqual([]);
    expect(spreadsIn('a.ts', 'list.push(1, ...items); new Set(...[items]); apply(...(await all()))')).toEqual(
      ['items', '[items]', '(await all())'],
    );
  });
});
