import { describe, expect, test, vi } from 'vitest';
import { type Encoding, pauses, readHead, textOf } from './read-text.ts';

const { signal } = new AbortController();
const TEXT = 'Zoë,日本,😀\n'.repeat(3);

/** Returns a file whose stream has pieces of a few bytes. */
function inPieces(bytes: Uint8Array<ArrayBuffer>, size: number): Blob {
  const file = new Blob([bytes]);
  file.stream = () =>
    new ReadableStream({
      start: (controller) => {
        for (let at = 0; at < bytes.length; at += size) controller.enqueue(bytes.slice(at, at + size));
        controller.close();
      },
    });
  return file;
}

const utf16 = (text: string, isBig = false) => {
  const bytes = new Uint8Array(Buffer.from(text, 'utf16le'));
  return isBig ? bytes.map((_, at) => bytes[at % 2 === 0 ? at + 1 : at - 1] ?? 0) : bytes;
};

async function readAll(file: Blob, encoding: Encoding): Promise<string> {
  let text = '';
  for await (const piece of textOf(file, encoding, signal)) text += piece.text;
  return text;
}

describe('the encoding of a file', () => {
  test.each<[string, Uint8Array<ArrayBuffer>, Encoding]>([
    ['UTF-8', new TextEncoder().encode(TEXT), 'utf-8'],
    ['UTF-8 with a mark', new TextEncoder().encode(`\uFEFF${TEXT}`), 'utf-8'],
    ['ASCII', new TextEncoder().encode('a,b'), 'utf-8'],
    ['nothing', new Uint8Array(), 'utf-8'],
    ['UTF-16 with a mark', utf16(`\uFEFF${TEXT}`), 'utf-16le'],
    ['UTF-16 without a mark', utf16('a,b'), 'utf-16le'],
    ['big-endian UTF-16 with a mark', utf16(`\uFEFF${TEXT}`, true), 'utf-16be'],
    ['big-endian UTF-16 without a mark', utf16('a,b', true), 'utf-16be'],
    ['Windows-1252', new Uint8Array(Buffer.from('Zoë', 'latin1')), 'windows-1252'],
  ])('detects %s', async (_name, bytes, expected) => {
    expect((await readHead(new Blob([bytes]))).encoding).toBe(expected);
  });

  test('reads the start of a long file, even if it ends within a character', async () => {
    for (const shift of [0, 1, 2, 3]) {
      const file = new Blob(['x'.repeat(shift), '😀'.repeat(100_000)]);
      const { encoding, text, isWhole } = await readHead(file);
      expect([encoding, isWhole]).toEqual(['utf-8', false]);
      expect(text).not.toContain('\uFFFD');
    }
  });

  test('uses the chosen encoding', async () => {
    const file = new Blob([new TextEncoder().encode('ë')]);
    expect(await readHead(file, 'windows-1252')).toEqual({
      encoding: 'windows-1252',
      text: 'Ã«',
      isWhole: true,
    });
  });
});

describe('the text of a file', () => {
  test.each([1, 2, 3, 5, 1000])('reads the same text in pieces of %s bytes', async (size) => {
    const utf8 = new TextEncoder().encode(`\uFEFF${TEXT}`);
    expect(await readAll(inPieces(utf8, size), 'utf-8')).toBe(TEXT);
    expect(await readAll(inPieces(utf16(`\uFEFF${TEXT}`), size), 'utf-16le')).toBe(TEXT);
    expect(await readAll(inPieces(utf16(TEXT, true), size), 'utf-16be')).toBe(TEXT);
  });

  test('counts the bytes read', async () => {
    const bytes = [];
    for await (const piece of textOf(inPieces(new Uint8Array(10), 4), 'utf-8', signal))
      bytes.push(piece.bytes);
    expect(bytes).toEqual([4, 8, 10, 10]);
  });

  test('stops when the signal aborts', async () => {
    const ending = new AbortController();
    const pieces = textOf(inPieces(new Uint8Array(10), 2), 'utf-8', ending.signal);
    await pieces.next();
    ending.abort(new Error('cancelled'));
    await expect(pieces.next()).rejects.toThrow('cancelled');
  });
});

describe('pauses', () => {
  test('lets other tasks run after some milliseconds of work', async () => {
    const now = vi.spyOn(performance, 'now').mockReturnValue(0);
    const pause = pauses();
    let ran = 0;
    setTimeout(() => {
      ran += 1;
    });
    await pause();
    expect(ran).toBe(0);
    now.mockReturnValue(100);
    await pause();
    expect(ran).toBe(1);
    now.mockRestore();
  });
});
