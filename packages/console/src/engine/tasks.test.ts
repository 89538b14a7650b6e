import { FixpointError } from '@fixpoint/protocol';
import { afterEach, expect, test } from 'vitest';
import { createTasks, type Summary, serveTasks, type TasksParts } from './tasks.ts';

const ports: MessagePort[] = [];
afterEach(() => {
  for (const port of ports.splice(0)) port.close();
});

function joined(parts: Partial<TasksParts>) {
  const { port1, port2 } = new MessageChannel();
  ports.push(port1, port2);
  serveTasks(port2, {
    rowsOf: () => ({ count: async () => 3, async *scan() {} }) as never,
    declare: () => {
      throw new Error('no index was asked for');
    },
    random: () => 0.5,
    extend: async () => {
      throw new FixpointError('NOT_SIGNED_IN');
    },
    ...parts,
  });
  return createTasks(port1);
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const never = new AbortController().signal;

test('sends steps while documents are read, and at last the whole summary', async () => {
  const shown: Summary[] = [];
  const tasks = joined({
    rowsOf: () =>
      ({
        count: async () => 3,
        async *scan() {
          yield [{ _id: 'a' }, { _id: 'b' }];
          await pause(300);
          yield [{ _id: 'c' }];
        },
      }) as never,
  });
  await tasks.summarize('library', (summary) => void shown.push(summary), never);
  expect(shown.map(({ documents, total, isComplete }) => [documents, total, isComplete])).toEqual([
    [3, 3, false],
    [3, 3, true],
  ]);
});

test('stops reading when the page no longer wants the summary', async () => {
  let signal: AbortSignal | undefined;
  const tasks = joined({
    rowsOf: () =>
      ({
        count: async () => 3,
        async *scan(options: { signal: AbortSignal }) {
          signal = options.signal;
          for (;;) {
            await pause(5);
            signal.throwIfAborted();
            yield [{ _id: 'a' }];
          }
        },
      }) as never,
  });
  const ending = new AbortController();
  const done = tasks.summarize('library', () => undefined, ending.signal);
  await expect.poll(() => signal).toBeDefined();
  ending.abort(new Error('the page was left'));
  await expect(done).rejects.toThrow('the page was left');
  await expect.poll(() => signal?.aborted).toBe(true);
});

test.each([
  [['year', 'title'], { kind: 'fields', fields: ['year', 'title'] }],
  ['year', { kind: 'fields', fields: ['year'] }],
  [{ text: ['title'] }, { kind: 'text', fields: ['title'] }],
] as const)('creates the index %j, and resolves when it is built', async (index, known) => {
  const others = [
    { kind: 'fields', fields: ['title'], prefix: '', isReady: false },
    { kind: 'text', fields: ['year', 'title'], prefix: '', isReady: false },
  ] as const;
  let looks = 0;
  let closed = 0;
  const tasks = joined({
    declare: (name, indexes) => {
      expect([name, indexes]).toEqual(['library', [index]]);
      return {
        ready: async () => undefined,
        explain: async () => {
          looks += 1;
          const declared = [...others, { ...known, prefix: '', isReady: looks >= 3 }];
          return { indexes: [], reads: 'all', sorts: false, building: [], declared };
        },
        close: async () => {
          closed += 1;
        },
      };
    },
  });
  await tasks.createIndexes('library', [index]);
  expect([looks, closed]).toEqual([3, 1]);
});

test('keeps the code of an error, and rejects tasks of a lost worker', async () => {
  const tasks = joined({
    declare: () => {
      throw new FixpointError('CONFIG_INVALID', 'too many');
    },
  });
  await expect(tasks.createIndexes('library', [['a']])).rejects.toEqual(
    new FixpointError('CONFIG_INVALID', 'too many'),
  );
  tasks.lost('out of memory');
  await expect(tasks.createIndexes('library', [['a']])).rejects.toMatchObject({ code: 'WORKER_LOST' });
});

test('extends a token at another server, and passes on why it couldn’t', async () => {
  const asked: string[][] = [];
  const extend = async (...given: string[]) => {
    asked.push(given);
    return 'longer';
  };
  expect(await joined({ extend }).extendToken('https://other.example', 'short')).toBe('longer');
  expect(asked).toEqual([['https://other.example', 'short']]);
  await expect(joined({}).extendToken('https://other.example', 'short')).rejects.toMatchObject({
    code: 'NOT_SIGNED_IN',
  });
});
