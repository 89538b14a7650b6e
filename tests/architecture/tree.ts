/** Reads the sources of all packages once: their lines, functions and imports. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import ts from 'typescript-api';

/** A function with a body; `lines` counts from its first line to its last. */
interface LongFunction {
  readonly name: string;
  readonly line: number;
  readonly lines: number;
}

export interface Source {
  /** Path from the root of the repository. */
  readonly path: string;
  readonly lines: number;
  readonly functions: readonly LongFunction[];
  /** Paths of the sources that it imports: values, types, and modules loaded later. */
  readonly imports: readonly string[];
  /** Our packages that it imports by name, as folders of `packages`. */
  readonly packages: readonly string[];
}

export const isTest = (path: string): boolean => /\.(test|fixture)\.tsx?$/.test(path);

/** Files that git tracks, and new ones that it doesn't ignore. */
export const tracked: readonly string[] = execFileSync(
  'git',
  ['ls-files', '--cached', '--others', '--exclude-standard'],
  { encoding: 'utf8' },
)
  .split('\n')
  .filter((path) => path !== '' && existsSync(path));

const paths = tracked.filter((path) => /^packages\/[^/]+\/src\/.*\.tsx?$/.test(path) && !isTest(path));
const known = new Set(tracked);

/** What an import, an export, a lazy import or the type of a module names. */
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

/** Folders of our packages by the names that they are published under. */
const PUBLISHED: Readonly<Record<string, string>> = { fixpoint: 'engine' };

function packageOf(specifier: string): string | undefined {
  const [scope = '', name = ''] = specifier.split('/');
  return scope === '@fixpoint' ? name : PUBLISHED[scope];
}

/** Reads a source from its text. */
export function readSource(path: string, text: string, isKnown: (path: string) => boolean): Source {
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
      const target = join(dirname(path), specifier);
      if (isKnown(target)) imports.add(target);
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

export const sources: readonly Source[] = paths.map((path) =>
  readSource(path, readFileSync(path, 'utf8'), (target) => known.has(target)),
);

/** Groups of places that reach each other (Tarjan's strongly connected components, of two or more). */
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
