import { describe, expect, test } from 'vitest';
import { faultsOfText, lineOfFault, voiceFaults } from '../../scripts/voice.mjs';

/** Returns the advice for each fault of a TypeScript test file with this content. */
const adviceFor = (content: string, path = 'packages/x/src/x.test.ts') =>
  faultsOfText(path, content).map(({ advice }) => advice);

describe('plain English', () => {
  test('has no fault that the check knows', () => {
    expect(voiceFaults().map(lineOfFault)).toEqual([]);
  });
});

describe('the check of plain English', () => {
  test.each([
    '// Reads the log anew.',
    '// Meanwhile the next commit waits.',
    '// Waits for so many bytes.',
    '// Blocks that are on their way to the server.',
    '// Whoever holds the lease syncs.',
    '// The page is told of it.',
    '// Sends the member his keys.',
    '// The text is no URL.',
    '// What was deleted comes back.',
    '// Loads it. Who left is out.',
    '/** Of a long archive, one block is read. */',
    `// ${'x'.repeat(100)}`,
    "test('an entry without a key is refused', () => {});",
    "test('[R1] the oldest entry is removed', () => {});",
    'test(`databases are listed`, () => {});',
  ])('reports %s', (content) => {
    expect(adviceFor(content)).toHaveLength(1);
  });

  test.each([
    '// Reads the log again.',
    '// There is no lease, and nothing is no longer needed.',
    '// What happens when the disk is full?',
    '/** Loads `anew` and "meanwhile". */',
    "test('[R1] removes the oldest entry', () => {});",
    "test('with a full disk: keeps the log', () => {});",
    "test('doesn’t read the log', () => {});",
    "test('$name', () => {});",
    "describe('an entry without a key', () => {});",
  ])('accepts %s', (content) => {
    expect(adviceFor(content)).toEqual([]);
  });

  test('reports words in interface texts, but not in other strings', () => {
    const content = 'const view = <p>The list will be\n  loaded anew now.</p>;\nconst id = "anew";';
    expect(adviceFor(content, 'packages/console/src/view.tsx')).toEqual(['write "again"']);
  });

  test('reports long lines of Markdown, except in tables, code and links', () => {
    const long = 'word '.repeat(30);
    const page = [long, '', `| ${long} |`, '', '```', long, '```', '', `[${long}](x.md)`].join('\n');
    expect(faultsOfText('docs/x.md', page).map(({ line }) => line)).toEqual([1]);
  });

  test('reports path, line, sentence and advice', () => {
    const [fault] = faultsOfText('docs/x.md', 'One line.\n\nIt is read anew.\n');
    expect(fault && lineOfFault(fault)).toBe('docs/x.md:3 "It is read anew.": write "again"');
  });
});
