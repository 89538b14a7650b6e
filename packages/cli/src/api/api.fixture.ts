import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Database, fixpoint } from 'fixpoint';
import { changeFeed } from 'fixpoint/feed';
import { onTestFinished } from 'vitest';
import { type Api, type ApiParts, startApi } from './api-server.ts';

export const NAME = 'name-of-the-database';
export const TOKEN = 'a-token-of-at-least-22-letters';

export interface TestApi {
  readonly db: Database;
  readonly api: Api;
  readonly reports: unknown[];
  /** Sends a request with the token. */
  send(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Response>;
  /** Sends a request with the token, and returns the JSON of the answer. */
  json<T = Readonly<Record<string, unknown>>>(method: string, path: string, body?: unknown): Promise<T>;
}

export async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'fixpoint-api-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}

/** Opens a new database in a folder, and serves it. */
export async function newApi(options: Partial<ApiParts> = {}): Promise<TestApi> {
  const db = fixpoint(NAME, { directory: await newFolder(), commitEachWrite: true });
  onTestFinished(() => db.close());
  const reports: unknown[] = [];
  const api = await startApi({
    db,
    feed: changeFeed(db),
    host: '127.0.0.1',
    port: 0,
    token: TOKEN,
    version: '1.2.3',
    report: (cause) => void reports.push(cause),
    ...options,
  });
  onTestFinished(() => api.close());
  const send: TestApi['send'] = (method, path, body, headers = {}) =>
    fetch(`${api.url}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${TOKEN}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
  return { db, api, reports, send, json: async (...call) => (await send(...call)).json() };
}
