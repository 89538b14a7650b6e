import { describe, expect, test } from 'vitest';
import type { FromAnswers, ToAnswers } from './answers.ts';
import { createAsking } from './asking.ts';

/** Returns a connection to a worker that answers when the test calls `answer`. */
function workerPort() {
  const sent: ToAnswers[] = [];
  const port = { postMessage: (message: ToAnswers) => sent.push(message) } as unknown as MessagePort;
  const asking = createAsking(port);
  return {
    asking,
    sent,
    answer: (message: FromAnswers) => port.onmessage?.({ data: message } as MessageEvent),
    idOf: (at: number) => (sent[at] as { id: number }).id,
  };
}

const question = { name: 'notes', source: '(doc) => doc', head: undefined, first: undefined } as never;
const forever = new AbortController().signal;

describe('a question to the worker', () => {
  test('resolves with its answer, which fetches rows on request', async () => {
    const { asking, sent, answer, idOf } = workerPort();
    const asked = asking.ask(question, forever);
    answer({ id: idOf(0), value: { count: 2 } } as never);
    const found = await asked;
    expect(found).toMatchObject({ count: 2 });
    const rows = found.rowsOf(0, 2);
    expect(sent[1]).toMatchObject({ do: 'rows', from: 0, to: 2 });
    answer({ id: idOf(1), value: [{ key: 'a' }] } as never);
    expect(await rows).toEqual([{ key: 'a' }]);
  });

  test('receives its own answer when answers arrive in a different order', async () => {
    const { asking, answer, idOf } = workerPort();
    const [first, second] = [asking.ask(question, forever), asking.ask(question, forever)];
    answer({ id: idOf(1), value: { count: 2 } } as never);
    answer({ id: idOf(0), value: { count: 1 } } as never);
    expect([(await first).count, (await second).count]).toEqual([1, 2]);
  });

  test('rejects with the code and the reason of the worker', async () => {
    const { asking, answer, idOf } = workerPort();
    const asked = asking.ask(question, forever);
    const message = 'map function failed: doc.x is undefined';
    answer({ id: idOf(0), failed: { code: 'MAP_FAILED', message } });
    await expect(asked).rejects.toMatchObject({ code: 'MAP_FAILED', message });
  });

  test('rejects with the message of an error that is not from Fixpoint', async () => {
    const { asking, answer, idOf } = workerPort();
    const asked = asking.ask(question, forever);
    answer({ id: idOf(0), failed: { code: undefined, message: 'out of memory' } });
    await expect(asked).rejects.toThrow('out of memory');
  });

  test('is dropped in the worker when it is aborted', async () => {
    const { asking, sent } = workerPort();
    const ending = new AbortController();
    const asked = asking.ask(question, ending.signal);
    ending.abort(new Error('not needed'));
    await expect(asked).rejects.toThrow('not needed');
    expect(sent.map((message) => message.do)).toEqual(['ask', 'drop']);
  });

  test('is never sent when it is already aborted', async () => {
    const { asking, sent } = workerPort();
    await expect(asking.ask(question, AbortSignal.abort())).rejects.toThrow();
    expect(sent).toEqual([]);
  });

  test('is rejected when the worker is lost, and so are all later questions', async () => {
    const { asking } = workerPort();
    const asked = asking.ask(question, forever);
    asking.lost('the worker crashed');
    await expect(asked).rejects.toMatchObject({ code: 'WORKER_LOST' });
    await expect(asking.ask(question, forever)).rejects.toMatchObject({ code: 'WORKER_LOST' });
  });
});
