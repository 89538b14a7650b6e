import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type BackupRecord, createRecordWriter, recordsIn } from './records.ts';

const object = (place: string, bytes: Buffer): BackupRecord => ({ is: 'object', place, bytes });

/** Returns the parts that a writer makes of records. */
async function partsOf(records: readonly BackupRecord[]): Promise<Buffer[]> {
  const parts: Buffer[] = [];
  const writer = createRecordWriter(async (bytes) => void parts.push(bytes));
  for (const record of records) await writer.add(record);
  await writer.finish();
  return parts;
}

const readAll = (parts: readonly Buffer[]) => parts.flatMap((part) => [...recordsIn('backup', part)]);

const value = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null));
const record: fc.Arbitrary<BackupRecord> = fc.oneof(
  fc.record({ is: fc.constant('secrets' as const), text: fc.string() }),
  fc.record({
    is: fc.constant('rows' as const),
    table: fc.string(),
    rows: fc.array(fc.dictionary(fc.stringMatching(/^[a-z]{1,8}$/), value), { maxLength: 5 }),
  }),
  fc.record({
    is: fc.constant('object' as const),
    place: fc.string(),
    bytes: fc.uint8Array({ maxLength: 50 }).map((bytes) => Buffer.from(bytes)),
  }),
);

describe('the records of a backup', () => {
  test('keeps all records in their order', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(record, { maxLength: 20 }), async (records) => {
        const found = readAll(await partsOf(records));
        expect(JSON.parse(JSON.stringify(found))).toEqual(JSON.parse(JSON.stringify(records)));
      }),
    );
  });

  test('starts a part before it would exceed 8 MB, and never writes an empty one', async () => {
    const large = Buffer.alloc(5_000_000);
    const parts = await partsOf([object('a', large), object('b', large), object('c', Buffer.alloc(10))]);
    expect(parts.map((part) => [...recordsIn('backup', part)].length)).toEqual([1, 2]);
    const whole = await partsOf([object('a', Buffer.alloc(9_000_000)), object('b', Buffer.alloc(10))]);
    expect(whole.map((part) => [...recordsIn('backup', part)].length)).toEqual([1, 1]);
    expect(await partsOf([])).toEqual([]);
    expect(await partsOf([object('a', Buffer.alloc(8_000_000))])).toHaveLength(1);
  });
});

describe('records that are not as they were written', () => {
  test('reports each truncated part', async () => {
    const [part = Buffer.alloc(0)] = await partsOf([object('a', Buffer.from('bytes'))]);
    for (let length = 1; length < part.length; length += 1)
      expect(() => readAll([part.subarray(0, length)]), String(length)).toThrow(
        /a (damaged|truncated) record/,
      );
  });

  test('reports each changed byte of an object', async () => {
    const [part = Buffer.alloc(0)] = await partsOf([object('a', Buffer.from('bytes'))]);
    for (let at = part.length - 5; at < part.length; at += 1) {
      const changed = Buffer.from(part);
      changed[at] = (changed[at] ?? 0) ^ 1;
      expect(() => readAll([changed]), String(at)).toThrow('the backup backup has a damaged object a');
    }
  });

  test.each([
    ['a head that is no JSON', 'not json', '', 'a damaged record'],
    ['an unknown kind', '{"is":"code","bytes":0}', '', 'a damaged record'],
    ['an unknown field', '{"is":"secrets","bytes":0,"run":1}', '', 'a damaged record'],
    ['a negative length', '{"is":"secrets","bytes":-1}', '', 'a damaged record'],
    ['a body that is too short', '{"is":"secrets","bytes":9}', 'x', 'a truncated record'],
    ['rows that are no JSON', '{"is":"rows","bytes":1,"table":"T"}', 'x', 'damaged rows of the table T'],
    ['rows that are no list', '{"is":"rows","bytes":2,"table":"T"}', '{}', 'damaged rows of the table T'],
    ['a value of a row that is a list', '{"is":"rows","bytes":10,"table":"T"}', '[{"a":[]}]', 'damaged rows'],
  ])('reports %s', (_, head, body, reason) => {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(head.length);
    const part = Buffer.concat([length, Buffer.from(head + body)]);
    expect(() => readAll([part])).toThrow(reason);
  });
});
