/** Server-sent events with the changes of the database. */
import type { ServerResponse } from 'node:http';
import { isFixpointError } from '@fixpoint/protocol';
import type { ChangeFeed } from 'fixpoint/feed';
import { type ChangesPage, changesJson, changesPage } from '../served/changes-page.ts';
import { NOW } from '../served/operations.ts';
import { ApiError } from './answers.ts';

export interface StreamParts {
  readonly feed: ChangeFeed;
  /** Calls the function after each change. Returns a function that unsubscribes. */
  readonly subscribe: (changed: () => void) => () => void;
  readonly report: (cause: unknown) => void;
  /** Milliseconds after which an idle stream sends a comment. */
  readonly heartbeatMs: number;
  /** Milliseconds that a reader may take to read what was sent. A slower reader is disconnected. */
  readonly drainMs: number;
}

interface StreamStart {
  readonly since: string;
  readonly limit: number;
  readonly headers: Readonly<Record<string, string>>;
}

const STREAMS_MAX = 100;
/** Number of bytes after which an event ends. Each stream keeps at most one event in memory. */
const EVENT_BYTES = 1_000_000;
/** Milliseconds after which a browser connects again. */
const RETRY_MS = 2000;
const STREAM_HEADERS = { 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' };

export class ChangeStreams {
  readonly #parts: StreamParts;
  readonly #open = new Set<AbortController>();

  constructor(parts: StreamParts) {
    this.#parts = parts;
  }

  /** Number of open streams. */
  get size(): number {
    return this.#open.size;
  }

  /**
   * Returns the headers with which a stream would begin.
   * @throws FixpointError for a position that a stream can't continue from
   */
  async headersOf({ since, limit, headers }: StreamStart): Promise<StreamStart['headers']> {
    await this.#begin(since, { limit, bytes: EVENT_BYTES });
    return { ...STREAM_HEADERS, ...headers };
  }

  async #begin(since: string, limits: { readonly limit: number; readonly bytes: number }) {
    const { feed } = this.#parts;
    const position = since === NOW ? await feed.position() : since;
    return { position, page: await changesPage(feed, position, limits) };
  }

  /**
   * Sends changes until the client goes or the server stops.
   * @throws ApiError, FixpointError before anything was sent
   */
  async serve(response: ServerResponse, { since, limit, headers }: StreamStart): Promise<void> {
    if (this.#open.size >= STREAMS_MAX)
      throw new ApiError(429, 'RATE_LIMITED', `at most ${STREAMS_MAX} streams may be open`);
    const { feed, subscribe, report, heartbeatMs, drainMs } = this.#parts;
    const stop = new AbortController();
    const left = () => stop.abort();
    const changed = new Signal(stop.signal);
    const stopListening = subscribe(() => changed.set());
    this.#open.add(stop);
    response.once('close', left);
    try {
      const limits = { limit, bytes: EVENT_BYTES };
      let { position, page } = await this.#begin(since, limits);
      const send = (text: string) => written(response, text, drainMs, stop.signal);
      response.writeHead(200, { ...STREAM_HEADERS, ...headers });
      await send(`retry: ${RETRY_MS}\n${eventText('position', { changes: [], position, isLast: false })}`);
      while (!stop.signal.aborted) {
        if (page.changes.length > 0) await send(eventText('changes', page));
        ({ position } = page);
        while (page.isLast && !stop.signal.aborted && !(await changed.within(heartbeatMs)))
          await send(': heartbeat\n\n');
        if (!stop.signal.aborted) page = await changesPage(feed, position, limits);
      }
      response.end();
    } catch (cause) {
      if (!response.headersSent) throw cause;
      // A stop may interrupt a write. Its reader still gets a proper end.
      if (stop.signal.aborted) response.end();
      else {
        response.destroy();
        if (!isFixpointError(cause, 'DATABASE_CLOSED')) report(cause);
      }
    } finally {
      response.off('close', left);
      stopListening();
      this.#open.delete(stop);
    }
  }

  /** Ends all streams. */
  close(): void {
    for (const stop of this.#open) stop.abort();
  }
}

const eventText = (name: string, page: ChangesPage): string =>
  `id: ${page.position}\nevent: ${name}\ndata: ${changesJson(page)}\n\n`;

/** Remembers that something happened, until somebody waits for it. */
class Signal {
  #isSet = false;
  #wake: (() => void) | undefined;

  constructor(stop: AbortSignal) {
    stop.addEventListener('abort', () => this.#wake?.(), { once: true });
  }

  set(): void {
    this.#isSet = true;
    this.#wake?.();
  }

  /** Returns whether the signal was set within a time. Returns early when the stream stops. */
  async within(ms: number): Promise<boolean> {
    if (!this.#isSet) {
      let timer: ReturnType<typeof setTimeout> | undefined;
      await new Promise<void>((wake) => {
        this.#wake = wake;
        timer = setTimeout(wake, ms);
      });
      clearTimeout(timer);
    }
    const wasSet = this.#isSet;
    this.#isSet = false;
    return wasSet;
  }
}

/** Writes a text, and waits until the reader has taken most of what was written. */
async function written(response: ServerResponse, text: string, ms: number, stop: AbortSignal): Promise<void> {
  stop.throwIfAborted();
  if (response.write(text)) return;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let stopped = (): void => undefined;
  let drained = (): void => undefined;
  try {
    await new Promise<void>((resolve, reject) => {
      [drained, stopped] = [resolve, () => reject(stop.reason)];
      response.once('drain', drained);
      stop.addEventListener('abort', stopped, { once: true });
      // Closing the response aborts the stream.
      timer = setTimeout(() => response.destroy(), ms);
    });
  } finally {
    clearTimeout(timer);
    response.off('drain', drained);
    stop.removeEventListener('abort', stopped);
  }
}
