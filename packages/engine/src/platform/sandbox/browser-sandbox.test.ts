import { describe, expect, test, vi } from 'vitest';
import { browserSandbox, type SandboxWorker } from './browser-sandbox.ts';
import { serveSandbox } from './sandbox-worker.ts';

/** Creates a worker in this thread; messages are copied as between threads. */
function localWorker(serve: typeof serveSandbox = serveSandbox) {
  const state = { terminated: false };
  const worker: SandboxWorker = {
    onmessage: null,
    onerror: null,
    postMessage: (message) => {
      for (const listener of listeners) listener({ data: structuredClone(message) });
    },
    terminate: () => {
      state.terminated = true;
    },
  };
  const listeners: ((event: { data: unknown }) => void)[] = [];
  serve(
    {
      postMessage: (message) =>
        queueMicrotask(() => worker.onmessage?.({ data: structuredClone(message) } as MessageEvent)),
      addEventListener: (_, listener) => listeners.push(listener),
    },
    {},
  );
  return { worker, state };
}

const messageOf = (promise: Promise<unknown>) =>
  promise.then(
    () => 'nothing was refused',
    (error: Error) => error.message,
  );

describe('browserSandbox', () => {
  test('runs several map functions concurrently in one worker', async () => {
    let made = 0;
    const sandbox = browserSandbox(() => {
      made += 1;
      return localWorker().worker;
    });
    const [byN, byId] = await Promise.all([
      sandbox.open('(doc) => doc.n'),
      sandbox.open('(doc, emit) => emit(doc._id, doc)'),
    ]);
    expect(await byN.run([{ _id: 'a', n: 1 }])).toEqual([{ at: 0, key: 1, value: null }]);
    expect(await byId.run([{ _id: 'a', n: 1 }])).toEqual([{ at: 0, key: 'a', value: { _id: 'a', n: 1 } }]);
    byN.close();
    expect(await messageOf(byN.run([{}]))).toBe('map function failed: the map function is closed');
    expect(await byId.run([])).toEqual([]);
    expect(made).toBe(1);
  });

  test('reports failures of a map function, and keeps the worker running', async () => {
    const { worker, state } = localWorker();
    const sandbox = browserSandbox(() => worker);
    expect(await messageOf(sandbox.open('nothing'))).toBe('map function failed: nothing is not defined');
    const map = await sandbox.open('(doc) => doc.a.b');
    expect(await messageOf(map.run([{}]))).toMatch(/^map function failed: .*undefined/);
    expect(state.terminated).toBe(false);
  });

  test('terminates a worker that stops answering, and starts a new one for the next query', async () => {
    const silent = localWorker(() => undefined);
    const workers = [silent.worker, localWorker().worker];
    const sandbox = browserSandbox(() => workers.shift()!, { silenceMsMax: 2000 });
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const [first, second] = [messageOf(sandbox.open('() => 1')), messageOf(sandbox.open('() => 2'))];
    await vi.advanceTimersByTimeAsync(2000);
    vi.useRealTimers();
    expect(await first).toBe('map function failed: stopped after 2000 ms');
    expect(await second).toBe('map function failed: stopped after 2000 ms');
    expect(silent.state.terminated).toBe(true);
    const map = await sandbox.open('() => 1');
    expect(await map.run([{}])).toHaveLength(1);
  });

  test('terminates a worker that cannot be started, or that cannot load QuickJS', async () => {
    const { worker, state } = localWorker(() => undefined);
    const sandbox = browserSandbox(() => worker);
    const opened = messageOf(sandbox.open('() => 1'));
    worker.onerror?.({ message: 'no such script' } as ErrorEvent);
    expect(await opened).toBe('map function failed: no such script');
    expect(state.terminated).toBe(true);

    const broken = localWorker((scope) => serveSandbox(scope, { wasmUrl: 'data:nothing' }));
    expect(await messageOf(browserSandbox(() => broken.worker).open('() => 1'))).toMatch(
      /^map function failed: ./,
    );
    expect(broken.state.terminated).toBe(true);
  });

  test('rejects forged rows from a worker', async () => {
    for (const rows of [
      '',
      '{}',
      '[1]',
      '[[1, 1, 1]]',
      '[[-1, 1, 1]]',
      '[["0", 1, 1]]',
      '[[0.5, 1, 1]]',
      '[[0, 1, null, 1]]',
      '[[0, ["a", [1]], null, 1]]',
    ]) {
      const { worker } = localWorker((scope) =>
        scope.addEventListener('message', ({ data }) => {
          const { id } = data as { id: number };
          scope.postMessage({ id, ok: true, rows });
        }),
      );
      const map = await browserSandbox(() => worker).open('');
      expect(await messageOf(map.run([{}])), rows).toMatch(/^map function failed: the result is not/);
    }
  });
});
