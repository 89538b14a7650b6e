import { act, cleanup, render, screen } from '@testing-library/react';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { BlockBar, CopyMenu } from './block-bar.tsx';
import { copiedValues, copyText, rememberCopied } from './copied.ts';

afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

const blockOf = (rows: number, columns: readonly string[]) => ({ fromAt: 5, toAt: 4 + rows, columns });
const NOTHING = { onCopy: () => undefined, onFill: undefined, onPaste: undefined, onClear: () => undefined };
const press = (name: string) => act(async () => screen.getByRole('button', { name }).click());

describe('the bar of selected cells', () => {
  test.each([
    [1, ['a'], '1 row × 1 column', false],
    [1, ['a', 'b'], '1 row × 2 columns', false],
    [2, ['__proto__'], '2 rows × 1 column', true],
    [1234, ['a', 'b'], '1,234 rows × 2 columns', true],
  ])('says the size of a block of %d rows and the columns %j', (rows, columns, text, canFill) => {
    render(<BlockBar {...NOTHING} block={blockOf(rows, columns)} onFill={() => undefined} />);
    expect(screen.getByRole('status').textContent).toBe(text);
    expect(screen.queryByRole('button', { name: 'Fill down' }) !== null).toBe(canFill);
  });

  test('offers to fill and paste cells only to users who can write', async () => {
    const [onFill, onPaste, onClear] = [vi.fn(), vi.fn(), vi.fn()];
    const all = { ...NOTHING, block: blockOf(2, ['a']), onClear };
    const { rerender } = render(<BlockBar {...all} onFill={onFill} onPaste={onPaste} />);
    for (const name of ['Fill down', 'Paste', 'Clear']) await press(name);
    for (const call of [onFill, onPaste, onClear]) expect(call).toHaveBeenCalledTimes(1);
    rerender(<BlockBar {...all} />);
    expect(screen.getAllByRole('button').map(({ textContent }) => textContent?.trim())).toEqual([
      'Copy',
      'Clear',
    ]);
  });
});

describe('the menu of copy formats', () => {
  test.each([
    ['Copy as TSV', 'tsv'],
    ['Copy as JSON', 'json'],
    ['Copy as Markdown', 'markdown'],
  ])('copies by "%s" in the format %s', async (name, format) => {
    const onCopy = vi.fn();
    render(<CopyMenu onCopy={onCopy} />);
    await press('Copy');
    expect(await screen.findAllByRole('menuitem')).toHaveLength(3);
    await act(async () => screen.getByRole('menuitem', { name }).click());
    expect(onCopy.mock.calls).toEqual([[format]]);
  });

  test('says why nothing can be copied, and doesn’t open', async () => {
    render(<CopyMenu onCopy={() => undefined} whyNot="Too many rows." />);
    const button = screen.getByRole<HTMLButtonElement>('button', { name: 'Copy' });
    await press('Copy');
    expect([button.disabled, button.title, screen.queryAllByRole('menuitem')]).toEqual([
      true,
      'Too many rows.',
      [],
    ]);
  });
});

describe('copied values', () => {
  const VALUES = [
    ['1', 1],
    [null, undefined],
  ];

  test.each([
    ['1\t1\nnull\t', true],
    ['1\t1\r\nnull\t\r\n', true],
    ['1\t1\nnull', false],
    ['', false],
  ])('keeps the types of the text %j: %s', (text, isKnown) => {
    rememberCopied('1\t1\nnull\t', VALUES);
    expect(copiedValues(text)).toBe(isKnown ? VALUES : undefined);
  });

  test('keeps those of the last copy', () => {
    rememberCopied('a', [['a']]);
    rememberCopied('b', [['b']]);
    expect([copiedValues('a'), copiedValues('b')]).toEqual([undefined, [['b']]]);
  });

  test('reaches the clipboard before the text is known, where browsers allow this', async () => {
    const written: { readonly parts: Record<string, Promise<Blob>> }[] = [];
    vi.stubGlobal(
      'ClipboardItem',
      class {
        readonly parts: Record<string, Promise<Blob>>;
        constructor(parts: Record<string, Promise<Blob>>) {
          this.parts = parts;
        }
      },
    );
    vi.spyOn(navigator.clipboard, 'write').mockImplementation(async (items) => {
      written.push(...(items as unknown as typeof written));
    });
    let resolve: (text: string) => void = () => undefined;
    await copyText(
      new Promise((end) => {
        resolve = end;
      }),
    );
    expect(written).toHaveLength(1);
    resolve('ä\tb');
    const blob = await written[0]?.parts['text/plain'];
    expect([blob?.type, await blob?.text()]).toEqual(['text/plain', 'ä\tb']);
  });

  test('reaches the clipboard as text in other browsers', async () => {
    vi.stubGlobal('ClipboardItem', undefined);
    const write = vi.spyOn(navigator.clipboard, 'writeText').mockResolvedValue(undefined);
    await copyText(Promise.resolve('a\tb'));
    expect(write.mock.calls).toEqual([['a\tb']]);
    await expect(copyText(Promise.reject(new Error('gone')))).rejects.toThrow('gone');
    expect(write).toHaveBeenCalledTimes(1);
  });
});
