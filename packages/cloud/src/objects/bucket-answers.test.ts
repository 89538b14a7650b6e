import { LIMITS } from '@fixpoint/protocol';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import {
  codeIn,
  hashBeside,
  keysIn,
  lengthOf,
  objectParts,
  readText,
  saysNoObject,
  storeFailed,
} from './bucket-answers.ts';

const listOf = (...keys: string[]) =>
  `<ListBucketResult xmlns="s3">${keys.map((key) => `<Key>${key}</Key>`).join('')}</ListBucketResult>`;
const withHeaders = (headers: Record<string, string>) => new Response(null, { headers });

async function bytesIn(response: Response, length: number): Promise<string> {
  const parts: Uint8Array[] = [];
  for await (const part of objectParts(response, length)) parts.push(part);
  return Buffer.concat(parts).toString();
}

describe('an error answer of a store', () => {
  test('means a missing object only if it is empty or has the code NoSuchKey', () => {
    expect(['', ' \n', '<Error><Code>NoSuchKey</Code></Error>'].map(saysNoObject)).toEqual([
      true,
      true,
      true,
    ]);
    expect(['<Error><Code>NoSuchBucket</Code></Error>', '<html>404</html>'].map(saysNoObject)).toEqual([
      false,
      false,
    ]);
  });

  test('contains a code, unless the text does not have the form of a code', () => {
    expect(codeIn('<Error><Code>SlowDown</Code></Error>')).toBe('SlowDown');
    for (const text of ['', '<Code></Code>', '<Code>a b</Code>', `<Code>${'x'.repeat(61)}</Code>`])
      expect(codeIn(text)).toBe('');
  });

  test('becomes a failure with the code STORE_FAILED', () => {
    const cause = new Error('reset');
    expect(storeFailed('gone', cause)).toMatchObject({ code: 'STORE_FAILED', cause });
  });
});

describe('a list of keys', () => {
  test('contains the keys of its prefix', () => {
    expect(keysIn(listOf('t/l/car/a', 't/l/car/a~v'), 't/l/')).toEqual(['t/l/car/a', 't/l/car/a~v']);
    expect(keysIn(listOf(), 't/l/')).toEqual([]);
  });

  test("omits keys that this server can't have assigned", () => {
    expect(keysIn(listOf('t/l/../x', 't/l/a b', 't/l/&amp;', 't/l/./a', 't/l/ok'), 't/l/')).toEqual([
      't/l/ok',
    ]);
  });

  test('is rejected if it is truncated, is not a list, or contains keys outside of the prefix', () => {
    expect(() => keysIn(listOf('t/l/a').slice(0, -5), 't/l/')).toThrow(/not a whole list/);
    expect(() => keysIn('<html></html>', 't/l/')).toThrow(/not a whole list/);
    expect(() => keysIn(listOf('t/l/a', 'u/l/b'), 't/l/')).toThrow(/outside of the prefix/);
  });
});

describe('an object', () => {
  test('is rejected if its length is missing or implausible, or if it is compressed', () => {
    expect(lengthOf(withHeaders({ 'content-length': '12' }))).toBe(12);
    expect(() => lengthOf(withHeaders({}))).toThrow(/no length/);
    expect(() => lengthOf(withHeaders({ 'content-length': '-1' }))).toThrow(/no length/);
    expect(() => lengthOf(withHeaders({ 'content-length': `${LIMITS.objectBytesMax + 1}` }))).toThrow(
      /too large/,
    );
    const packed = { 'content-length': '12', 'content-encoding': 'gzip' };
    expect(() => lengthOf(withHeaders(packed))).toThrow(/another encoding/);
  });

  test('has the hash that its metadata contains, if that hash is valid', () => {
    const hash = 'a1'.repeat(32);
    expect(hashBeside(withHeaders({ 'x-amz-meta-sha256': hash }))).toBe(hash);
    for (const odd of ['', hash.toUpperCase(), hash.slice(1)])
      expect(hashBeside(withHeaders({ 'x-amz-meta-sha256': odd }))).toBeUndefined();
    expect(hashBeside(withHeaders({}))).toBeUndefined();
  });

  test('is read in full, and is rejected if its length differs', async () => {
    expect(await bytesIn(new Response('twelve bytes'), 12)).toBe('twelve bytes');
    await expect(bytesIn(new Response('twelve bytes'), 11)).rejects.toThrow(/another length/);
    await expect(bytesIn(new Response('twelve bytes'), 13)).rejects.toThrow(/another length/);
    expect(await bytesIn(new Response(null), 0)).toBe('');
  });

  test('is rejected when the download breaks off or stalls', async () => {
    const broken = new ReadableStream({ start: (controller) => controller.error(new Error('reset')) });
    await expect(bytesIn(new Response(broken), 1)).rejects.toThrow(/was interrupted/);
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const stalled = bytesIn(new Response(new ReadableStream()), 1);
    const outcome = expect(stalled).rejects.toMatchObject({ code: 'STORE_FAILED' });
    await vi.advanceTimersByTimeAsync(15_000);
    await outcome;
  });
});

test('reads an answer as text, and rejects a text that is far too long', async () => {
  expect(await readText(new Response('<ok/>'))).toBe('<ok/>');
  await expect(readText(new Response('x'.repeat(4_194_305)))).rejects.toThrow(/too long/);
});
