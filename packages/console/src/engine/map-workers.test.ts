import { browserSandbox, type SandboxWorker } from 'fixpoint/sandbox';
import { serveSandbox } from 'fixpoint/sandbox-worker';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { serveMapWorkers, workersOfPage } from './map-workers.ts';

/** A worker in this thread, as the page sees it. */
class FakeWorker {
  onmessage: ((event: MessageEvent) => void) | null = null;
  onerror: ((event: ErrorEvent) => void) | null = null;
  readonly terminate = vi.fn(() => this.port?.close());
  readonly #serve: (port: MessagePort) => void;
  port: MessagePort | undefined;

  constructor(serve: (port: MessagePort) => void) {
    this.#serve = serve;
  }

  postMessage(port: unknown): void {
    this.port = port as MessagePort;
    this.#serve(this.port);
    this.port.start();
  }

  fail(message: string): void {
    this.onerror?.({ message } as ErrorEvent);
  }
}

const serving = (port: MessagePort) => serveSandbox(port);
const silent = () => undefined;
/** Answers a text with the same text in angle brackets. */
const echoing = (port: MessagePort) =>
  port.addEventListener('message', ({ data }: MessageEvent<string>) => port.postMessage(`<${data}>`));

const channels: MessageChannel[] = [];
afterEach(() => {
  for (const { port1, port2 } of channels.splice(0)) {
    port1.close();
    port2.close();
  }
});

/** Connects an engine to a page whose workers run these scripts, one after the other. */
function connect(...scripts: ((port: MessagePort) => void)[]) {
  const channel = new MessageChannel();
  channels.push(channel);
  const workers: FakeWorker[] = [];
  const page = serveMapWorkers(channel.port1, () => {
    const script = scripts[workers.length];
    if (script === undefined) throw new Error('no such script');
    workers.push(new FakeWorker(script));
    return workers.at(-1) as FakeWorker;
  });
  return { page, workers, create: workersOfPage(channel.port2) };
}

const failureOf = (work: Promise<unknown>) =>
  work.then(
    () => 'nothing failed',
    (error: Error) => error.message,
  );

/** Collects the messages and errors of a worker, as the engine sees them. */
function listen(worker: SandboxWorker) {
  const [messages, errors]: [unknown[], string[]] = [[], []];
  worker.onmessage = ({ data }) => messages.push(data);
  worker.onerror = ({ message }) => errors.push(message);
  return { messages, errors };
}

describe('a sandbox whose workers the page creates', () => {
  test('runs map functions in one worker, whose messages the page ignores', async () => {
    const { workers, create } = connect(serving);
    const sandbox = browserSandbox(create);
    const [byN, byId] = await Promise.all([sandbox.open('(doc) => doc.n'), sandbox.open('(doc) => doc._id')]);
    expect(await byN.run([{ _id: 'a', n: 1 }])).toEqual([{ at: 0, key: 1, value: null }]);
    expect(await byId.run([{ _id: 'a', n: 1 }])).toEqual([{ at: 0, key: 'a', value: null }]);
    expect(workers.map(({ onmessage }) => onmessage)).toEqual([null]);
  });

  test('lets the page terminate a worker that never answers, and create another one', async () => {
    const { workers, create } = connect(silent, serving);
    const sandbox = browserSandbox(create, { silenceMsMax: 2000 });
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const opened = failureOf(sandbox.open('() => { for (;;); }'));
    await vi.advanceTimersByTimeAsync(2000);
    vi.useRealTimers();
    expect(await opened).toBe('map function failed: stopped after 2000 ms');
    // The page receives both messages in their order.
    const map = await sandbox.open('() => 1');
    expect(await map.run([{}])).toHaveLength(1);
    expect(workers.map(({ terminate }) => terminate.mock.calls.length)).toEqual([1, 0]);
  });

  test('reports the failure of a worker, and of a page that could not create one', async () => {
    const { workers, create } = connect(silent);
    const sandbox = browserSandbox(create);
    const opened = failureOf(sandbox.open('() => 1'));
    await expect.poll(() => workers.length).toBe(1);
    workers[0]?.fail('no such file');
    expect(await opened).toBe('map function failed: no such file');
    expect(await failureOf(sandbox.open('() => 1'))).toBe('map function failed: Error: no such script');
    await expect.poll(() => workers[0]?.terminate.mock.calls.length).toBe(1);
  });
});

describe('workers of a page', () => {
  test('sends messages between each worker and the engine through a separate port', async () => {
    const { workers, create } = connect(echoing, echoing);
    const [first, second] = [create(), create()];
    const [heard, other] = [listen(first), listen(second)];
    first.postMessage('a');
    first.postMessage('b');
    second.postMessage('c');
    await expect.poll(() => heard.messages).toEqual(['<a>', '<b>']);
    await expect.poll(() => other.messages).toEqual(['<c>']);
    workers[1]?.fail('of the second');
    await expect.poll(() => other.errors).toEqual(['of the second']);
    expect(heard.errors).toEqual([]);
  });

  test('ignores a worker after its termination', async () => {
    const { workers, create } = connect(echoing, echoing);
    const [first, second] = [create(), create()];
    const [heard, other] = [listen(first), listen(second)];
    await expect.poll(() => workers.length).toBe(2);
    // These messages are under way when the engine terminates the first worker.
    workers[0]?.port?.postMessage('late');
    workers[0]?.fail('late');
    first.terminate();
    first.terminate();
    second.postMessage('a');
    await expect.poll(() => other.messages).toEqual(['<a>']);
    await expect.poll(() => workers[0]?.terminate.mock.calls.length).toBe(1);
    expect(heard).toEqual({ messages: [], errors: [] });
  });

  test('ends all workers with the page, which then creates no more', async () => {
    const { page, workers, create } = connect(echoing, echoing, echoing);
    const [, second] = [create(), create()];
    const { messages } = listen(second);
    second.postMessage('a');
    await expect.poll(() => messages).toEqual(['<a>']);
    // The page doesn't receive this message any more.
    create();
    page.terminate();
    expect(workers.map(({ terminate }) => terminate.mock.calls.length)).toEqual([1, 1]);
    await new Promise((resolve) => setImmediate(resolve));
    expect(workers).toHaveLength(2);
  });
});
