import { FixpointError } from '@fixpoint/protocol';
import { describe, expect, test } from 'vitest';
import { WITHOUT_REST } from '../base/pace.ts';
import { createTurns } from '../base/turns.ts';
import { encodeBlock } from '../codec/block.ts';
import { parseDocKey } from '../documents/doc-key.ts';
import { TOMBSTONE } from '../documents/encode.ts';
import { createWriteQueue, type Operation } from './write-queue.ts';

const write = (...names: string[]): Operation[] =>
  names.map((name) => ({ key: parseDocKey(name), value: encodeBlock({ name }) }));

const remove = (name: string): Operation[] => [{ key: parseDocKey(name), value: TOMBSTONE }];

const outcome = (work: Promise<void>): Promise<string> =>
  work.then(
    () => 'done',
    (cause: FixpointError) => cause.code,
  );

/**
 * Creates a queue whose commits finish when the test calls `end`. `taken` lists the operations of
 * each commit.
 */
function queued(operationsMax: number, pace = WITHOUT_REST, free: () => Promise<void> = async () => {}) {
  const taken: string[] = [];
  const ends: { resolve(): void; reject(cause: Error): void }[] = [];
  const exclusive = createTurns();
  const queue = createWriteQueue({
    exclusive,
    commit: (operations) => {
      taken.push(typeof operations === 'function' ? 'made' : operations.map(({ key }) => key).join());
      return new Promise((resolve, reject) => void ends.push({ resolve, reject }));
    },
    operationsMax,
    pace,
    free,
  });
  const settle = () => new Promise<void>((resolve) => setImmediate(resolve));
  const end = async (cause?: Error) => {
    await settle();
    const next = ends.shift();
    if (cause === undefined) next?.resolve();
    else next?.reject(cause);
    await settle();
  };
  return { queue, exclusive, taken, end, settle };
}

describe('writes that wait', () => {
  test('commits each write that depends on earlier ones separately, in the order of the calls', async () => {
    const { queue, taken, end } = queued(10);
    const all = [write('a'), write('b'), async () => write('c'), async () => write('d'), write('e')].map(
      (one) => queue(one),
    );
    for (let n = 0; n < 4; n++) await end();
    await Promise.all(all);
    expect(taken).toEqual(['a,b', 'made', 'made', 'e']);
  });

  test('commits a write that depends on earlier ones separately, even after an empty write', async () => {
    const { queue, taken, end } = queued(10);
    const all = [[], async () => write('a'), write('b')].map((one) => queue(one));
    for (let n = 0; n < 3; n++) await end();
    await Promise.all(all);
    expect(taken).toEqual(['', 'made', 'b']);
  });

  test('shares one commit between waiting writes, up to the maximum size of a commit', async () => {
    const { queue, taken, end } = queued(3);
    const all = [write('a'), write('b'), write('c', 'd'), write('e'), write('f', 'g', 'h', 'i')].map((one) =>
      queue(one),
    );
    for (let n = 0; n < 5; n++) await end();
    await Promise.all(all);
    expect(taken).toEqual(['a,b', 'c,d,e', 'f,g,h,i']);
  });

  test('[R3] rejects a write only if its own commit fails', async () => {
    const { queue, end } = queued(1);
    const outcomes = [write('a'), write('b')].map((one) =>
      queue(one).then(
        () => 'done',
        (cause: Error) => cause.message,
      ),
    );
    await end(new Error('disk full'));
    await end();
    expect(await Promise.all(outcomes)).toEqual(['disk full', 'done']);
  });

  test('[R10] commits the deletions of a group without its puts when the disk is full', async () => {
    let freed = 0;
    const { queue, taken, end } = queued(10, WITHOUT_REST, async () => void freed++);
    const outcomes = [write('a'), remove('b'), write('c'), remove('d')].map((one) => outcome(queue(one)));
    await end(new FixpointError('STORE_FULL'));
    await end();
    expect(await Promise.all(outcomes)).toEqual(['STORE_FULL', 'done', 'STORE_FULL', 'done']);
    expect([taken, freed]).toEqual([['a,b,c,d', 'b,d'], 0]);
  });

  test('[R10] retries deletions one time after trying to free space, and commits later puts separately', async () => {
    let freed = 0;
    const { queue, taken, end } = queued(10, WITHOUT_REST, async () => {
      freed++;
      throw new FixpointError('STORE_FULL');
    });
    const outcomes = [remove('a'), remove('b')].map((one) => outcome(queue(one)));
    await end(new FixpointError('STORE_FULL'));
    outcomes.push(outcome(queue(write('c'))));
    await end();
    await end(new FixpointError('STORE_FULL'));
    expect(await Promise.all(outcomes)).toEqual(['done', 'done', 'STORE_FULL']);
    expect([taken, freed]).toEqual([['a,b', 'a,b', 'c'], 1]);
  });

  test('[R10] rejects deletions if the disk is still full when they are retried', async () => {
    const { queue, end } = queued(10);
    const deleted = outcome(queue(remove('a')));
    await end(new FixpointError('STORE_FULL'));
    await end(new FixpointError('STORE_FULL'));
    expect(await deleted).toBe('STORE_FULL');
  });

  test('runs writes and other work that moves the head in the order of the calls', async () => {
    const { queue, exclusive, taken, end } = queued(10);
    const steps: string[] = [];
    const first = queue(write('a'));
    const between = exclusive(async () => void steps.push(`after ${taken.join()}`));
    await end();
    await Promise.all([first, between]);
    expect(steps).toEqual(['after a']);
  });

  test('yields before a commit when a pause is due', async () => {
    let rests = 0;
    const { queue, end } = queued(10, { isDue: () => true, rest: async () => void rests++ });
    const done = queue(write('a'));
    await end();
    await done;
    expect(rests).toBe(1);
  });
});
