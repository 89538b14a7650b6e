/** Tests histories that are long, wide or often merged. No walk may overflow the stack. */
import { describe, expect, test } from 'vitest';
import { WITHOUT_REST } from '../base/pace.ts';
import type { Cid } from '../codec/cid.ts';
import { mergeHeads } from './advance.ts';
import { changesInLine } from './changes-in-line.ts';
import { changesSince, descendsFrom } from './changes-since.ts';
import { commonAncestor } from './common-ancestor.ts';
import { dag } from './dag.fixture.ts';
import { draw } from './draw.ts';
import type { ClockEvent, Head, ReadEvent } from './event.ts';
import { EventIndex } from './event-index.ts';
import { historyOf } from './history-order.ts';
import { collectSurvivingWrites } from './surviving-writes.ts';

const EVENTS = 200_000;
const BRANCHES = 50_000;
const noPause = async () => undefined;
const operations = [{ key: 'key', value: undefined }];
const event = (parents: readonly string[]): ClockEvent =>
  ({ operations, root: '' as Cid, parents }) as unknown as ClockEvent;
const headOf = (...names: string[]) => names as unknown as Head;

/** Reads a line of events: `e1` <- `e2` <- ... */
const readLine: ReadEvent = async (cid) => {
  const at = Number(cid.slice(1));
  return event(at === 1 ? [] : [`e${at - 1}`]);
};

const branches = Array.from({ length: BRANCHES }, (_, n) => `b${n}`);
/** `joined` has all branches as parents, and each branch has the parent `first`. */
const readWide: ReadEvent = async (cid) =>
  event(cid === 'joined' ? branches : cid === 'first' ? [] : ['first']);

async function countHistory(read: ReadEvent, head: Head): Promise<number> {
  const surviving = collectSurvivingWrites();
  let count = 0;
  for await (const one of historyOf(head, read, noPause)) {
    surviving.add(one);
    count += 1;
  }
  return count;
}

describe('[R20] a walk over a large history', () => {
  test('finishes for a line of 200,000 events', async () => {
    const read = readLine;
    const [first, last] = [headOf('e1'), headOf(`e${EVENTS}`)];
    expect(await mergeHeads(first, last, read)).toEqual(last);
    expect(await changesSince(last, first, read)).toHaveLength(1);
    expect(await descendsFrom(last, 'e1' as Cid, read)).toBe(true);
    expect(await changesInLine(last, first, read)).toHaveLength(1);
    expect(await commonAncestor([...last, ...first], read)).toBe('e1');
    expect(await countHistory(read, last)).toBe(EVENTS);
    const index = new EventIndex(read);
    await index.advance(last, WITHOUT_REST);
    expect(index.writesOf('key')).toHaveLength(EVENTS);
    expect((await draw(last, read)).split('\n')).toHaveLength(EVENTS);
  });

  test('finishes for an event that joins 50,000 branches', async () => {
    const read = readWide;
    const joined = headOf('joined');
    expect(await changesSince(joined, headOf('first'), read)).toHaveLength(1);
    expect(await commonAncestor(joined, read)).toBe('first');
    expect(await countHistory(read, joined)).toBe(BRANCHES + 2);
    const index = new EventIndex(read);
    await index.advance(joined, WITHOUT_REST);
    expect(index.size).toBe(BRANCHES + 2);
    expect((await draw(joined, read)).split('\n')).toHaveLength(BRANCHES + 2);
  });

  test('finishes for two branches that were joined 2,000 times', async () => {
    const parents: Record<string, string[]> = { a0: [], b0: [] };
    for (let n = 1; n <= 2000; n++)
      for (const side of ['a', 'b']) parents[`${side}${n}`] = [`a${n - 1}`, `b${n - 1}`];
    const { read, head } = dag(parents);
    const both = head('a2000', 'b2000');
    expect(await commonAncestor(both, read)).toBeUndefined();
    expect(await changesSince(both, [], read)).toHaveLength(4002);
  });
});
