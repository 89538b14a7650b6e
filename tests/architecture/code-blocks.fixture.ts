/** Reads the code blocks of the documentation, and turns those of a page into a TypeScript file. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

export interface CodeBlock {
  readonly page: string;
  /** Number of the line with the fence, from 0. */
  readonly at: number;
  readonly language: string;
  readonly code: string;
}

/** Records of past work, and a reference that is made of the types. */
const NOT_CHECKED = /^docs\/(decisions|benchmarks)\/|^docs\/guide\/api\.md$/;

/** Returns the Markdown files whose code must be correct. */
export const documentedPages = (): string[] =>
  execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '*.md'], {
    encoding: 'utf8',
  })
    .split('\n')
    .filter((path) => path !== '' && !NOT_CHECKED.test(path));

/** Returns the fenced blocks of a page. */
export function codeBlocksOf(page: string, markdown = readFileSync(page, 'utf8')): CodeBlock[] {
  const lines = markdown.split('\n');
  const blocks: CodeBlock[] = [];
  for (let at = 0; at < lines.length; at++) {
    const [, indent = '', language = ''] = /^( *)```(\w*)/.exec(lines[at] ?? '') ?? [];
    if (!/^ *```/.test(lines[at] ?? '')) continue;
    const end = lines.findIndex((line, index) => index > at && line.trim() === '```');
    if (end < 0) throw new Error(`${page}:${at + 1} has a block without an end`);
    const code = lines.slice(at + 1, end).map((line) => line.slice(indent.length));
    blocks.push({ page, at, language, code: code.join('\n') });
    at = end;
  }
  return blocks;
}

/** A statement that imports, which may have several lines. */
const IMPORT = /^import (?:(type )?([^'";]*?) from )?'([^']+)';?/gm;

/** An import of a file of the application, whose names belong to one block. */
const OWN_IMPORT = /^import (\{[^}]*\}) from '(\.[^']+)';/gm;

/** Returns one import for each imported name, so that those of several blocks can be merged. */
function importsIn(code: string): string[] {
  return [...code.matchAll(IMPORT)].flatMap(([, type = '', names = '', from = '']) => {
    if (from.startsWith('.')) return [];
    if (names === '') return [`import '${from}';`];
    const [, whole = '', listed = ''] = /^([^{]*?),?\s*(?:\{([^}]*)\})?$/.exec(names.trim()) ?? [];
    const each = listed
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== '');
    return [
      ...(whole === '' ? [] : [`import ${type}${whole} from '${from}';`]),
      ...each.map((name) => `import ${type}{ ${name} } from '${from}';`),
    ];
  });
}

const blank = (text: string) => text.replaceAll(/[^\n]/g, '');

/**
 * Returns a module in which each block sees the names of the blocks before it, and may declare them
 * again. Each line of code has the number that it has in the page.
 * @param given declarations of names that the page doesn't declare
 */
export function moduleOf(blocks: readonly CodeBlock[], given = ''): string {
  const pragma = blocks.map(({ code }) => /\/\*\* @jsxImportSource \S+ \*\//.exec(code)?.[0] ?? '').join('');
  const imports = [...new Set(blocks.flatMap(({ code }) => importsIn(code)))].join(' ');
  const lines = [`${pragma} ${imports} ${given} export async function page() {`];
  for (const { at, code } of blocks) {
    while (lines.length <= at) lines.push('');
    const body = code
      .replaceAll(OWN_IMPORT, "const $1 = await import('$2');")
      .replaceAll(IMPORT, blank)
      .replaceAll(/^export default /gm, 'const _default = ')
      .replaceAll(/^export /gm, '');
    lines[at] += ' {';
    lines.push(...body.split('\n'));
  }
  return `${lines.join('\n')}\n${'}'.repeat(blocks.length + 1)}\n`;
}
