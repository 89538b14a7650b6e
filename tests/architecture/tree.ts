/** Reads the lines, functions and imports of all sources once, for all tests of this folder. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import ts from 'typescript-api';
import { withKeptResults } from '../../scripts/kept-results.mjs';

/**
 * A function with a body. `lines` is the number of lines from the first to the last line of the
 * function.
 */
interface LongFunction {
  readonly name: string;
  readonly line: number;
  readonly lines: number;
}

export interface Source {
  /** Path from the repository root. */
  readonly path: string;
  readonly lines: number;
  readonly functions: readonly LongFunction[];
  /** Paths of the sources that this source imports, including imports of types and lazy imports. */
  readonly imports: readonly string[];
  /** Folders of the packages of this repository that this source imports by package name. */
  readonly packages: readonly string[];
}

export const isTest = (path: string): boolean => /\.(test|fixture)\.tsx?$/.test(path);

/** Files that git tracks, and new files that git doesn't ignore. */
export const tracked: readonly string[] = execFileSync(
  'git',
  ['ls-files', '--cached', '--others', '--exclude-standard'],
  { encoding: 'utf8' },
)
  .split('\n')
  .filter((path) => path !== '' && existsSync(path));

const paths = tracked.filter((path) => /^packages\/[^/]+\/src\/.*\.tsx?$/.test(path) && !isTest(path));
const known = new Set(tracked);

/** Returns the specifier of an import, an export, a lazy import or an import type. */
function specifierOf(node: ts.Node): string | undefined {
  const named =
    ts.isImportDeclaration(node) || ts.isExportDeclaration(node)
      ? node.moduleSpecifier
      : ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)
        ? node.argument.literal
        : ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword
          ? node.arguments[0]
          : undefined;
  return named !== undefined && ts.isStringLiteral(named) ? named.text : undefined;
}

function nameOf(node: ts.SignatureDeclaration): string {
  const own = node.name?.getText();
  if (own !== undefined) return own;
  return ts.isVariableDeclaration(node.parent) || ts.isPropertyAssignment(node.parent)
    ? node.parent.name.getText()
    : '(no name)';
}

/** Folders of packages whose published name differs from their folder name. */
const PUBLISHED: Readonly<Record<string, string>> = { fixpoint: 'engine' };

function packageOf(specifier: string): string | undefined {
  const [scope = '', name = ''] = specifier.split('/');
  return scope === '@fixpoint' ? name : PUBLISHED[scope];
}

/** Parses one source. Its imports include files that don't exist. */
export function parsedSource(path: string, text: string): Source {
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const lineAt = (place: number) => file.getLineAndCharacterOfPosition(place).line + 1;
  const functions: LongFunction[] = [];
  const imports = new Set<string>();
  const packages = new Set<string>();
  const visit = (node: ts.Node): void => {
    if (ts.isFunctionLike(node) && 'body' in node && node.body !== undefined) {
      const line = lineAt(node.getStart(file));
      functions.push({ name: nameOf(node), line, lines: lineAt(node.end) - line + 1 });
    }
    const specifier = specifierOf(node);
    if (specifier?.startsWith('.') === true) {
      imports.add(join(dirname(path), specifier));
    } else if (specifier !== undefined) {
      const name = packageOf(specifier);
      if (name !== undefined) packages.add(name);
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  const lines = text.trimEnd().split('\n').length;
  return { path, lines, functions, imports: [...imports], packages: [...packages] };
}

export const sources: readonly Source[] = withKeptResults('sources', import.meta.url, (kept) =>
  paths.map((path) => {
    const text = readFileSync(path, 'utf8');
    const source = kept(`${path}\n${text}`, () => parsedSource(path, text));
    return { ...source, imports: source.imports.filter((target) => known.has(target)) };
  }),
);

/** Finds import cycles: strongly connected components of two or more files (Tarjan's algorithm). */
export function ringsOf(arrows: ReadonlyMap<string, readonly string[]>): string[][] {
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const open: string[] = [];
  const rings: string[][] = [];
  const visit = (from: string): number => {
    order.set(from, order.size);
    let low = order.size - 1;
    open.push(from);
    for (const to of arrows.get(from) ?? [])
      if (!order.has(to)) low = Math.min(low, visit(to));
      else if (open.includes(to)) low = Math.min(low, order.get(to) ?? low);
    lowest.set(from, low);
    if (low === order.get(from)) {
      const ring = open.splice(open.indexOf(from));
      if (ring.length > 1) rings.push(ring.sort());
    }
    return low;
  };
  for (const from of arrows.keys()) if (!order.has(from)) visit(from);
  return rings;
}
