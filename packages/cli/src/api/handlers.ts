import type { IncomingMessage } from 'node:http';
import { FixpointError, isFixpointError } from '@fixpoint/protocol';
import type { Attached, Database } from 'fixpoint';
import type { Operations } from '../served/operations.ts';
import type { UploadWaits } from '../served/upload-waits.ts';
import { type Answer, ApiError } from './answers.ts';
import { conditionOf, isKnown, limitIn, type Query } from './call-values.ts';
import { deleteFile, getFile, putFile } from './file-handlers.ts';
import type { RouteId } from './routes.ts';

interface ApiCall {
  readonly request: IncomingMessage;
  /** The id in the path. */
  readonly id: string;
  /** The name of the file in the path. */
  readonly name: string;
  readonly query: Query;
  readonly body: unknown;
  readonly hasToken: boolean;
  /** Aborts when the client goes, or the server stops. */
  readonly signal: AbortSignal;
}

export interface HandlerParts {
  readonly db: Database;
  readonly operations: Operations;
  /** Absent without a ledger. */
  readonly attached: Attached | undefined;
  readonly uploads: UploadWaits | undefined;
  readonly openApi: () => object;
}

type Handler = (call: ApiCall) => Promise<Answer>;

/** Handlers of all requests except the stream, which writes its answer itself. */
export function handlersOf(
  parts: HandlerParts,
): Readonly<Record<Exclude<RouteId, 'streamChanges'>, Handler>> {
  const { operations, attached, openApi } = parts;
  return {
    listDocuments: async ({ query }) =>
      ok(await operations.list({ ...pageOf(query), prefix: query.get('prefix') })),
    createDocument: async (call) => {
      checkWait(parts, call);
      const written = await operations.create(call.body);
      await uploaded(parts, call);
      const location = `/documents/${encodeURIComponent(written.id)}`;
      return { status: 201, headers: { location }, json: JSON.stringify(written) };
    },
    getDocument: async ({ id, request }) => {
      const { json, tag } = await operations.get(id);
      return isKnown(request, tag) ? { status: 304, headers: { etag: tag } } : ok(json, { etag: tag });
    },
    putDocument: async (call) => {
      checkWait(parts, call);
      const { tag } = await operations.put(call.id, call.body, conditionOf(call.request));
      await uploaded(parts, call);
      return ok(JSON.stringify({ id: call.id }), { etag: tag });
    },
    deleteDocument: async (call) => {
      checkWait(parts, call);
      await operations.del(call.id, conditionOf(call.request));
      await uploaded(parts, call);
      return { status: 204 };
    },
    getFile: (call) => getFile(parts.db, call),
    putFile: async (call) => {
      checkWait(parts, call);
      await putFile(parts.db, call);
      await uploaded(parts, call);
      return ok(JSON.stringify({ id: call.id }));
    },
    deleteFile: async (call) => {
      checkWait(parts, call);
      await deleteFile(parts.db, call);
      await uploaded(parts, call);
      return { status: 204 };
    },
    getHistory: async ({ id, query }) => ok(await operations.history(id, pageOf(query))),
    find: async ({ body }) => ok(await operations.find(body)),
    count: async ({ body }) => ok(await operations.count(body)),
    listChanges: ({ query }) =>
      withKnownPosition(async () =>
        ok(await operations.changes({ limit: limitIn(query), since: query.get('since') })),
      ),
    listConflicts: async ({ query }) => ok(await operations.conflicts(pageOf(query))),
    health: async ({ hasToken }) =>
      ok(JSON.stringify({ status: 'ok', ...(hasToken && attached && { sync: syncOf(attached) }) })),
    openApi: async () => ok(JSON.stringify(openApi())),
  };
}

const ok = (json: string, headers: Readonly<Record<string, string>> = {}): Answer => ({
  status: 200,
  headers,
  json,
});

const pageOf = (query: Query) => ({ limit: limitIn(query), after: query.get('after') });

function syncOf(attached: Attached) {
  const { state, toSend, toFetch, error } = attached.status();
  return { state, toSend, toFetch, ...(error && { error: error.code }) };
}

/** Reports a position that the database no longer has as HISTORY_COMPACTED. */
export async function withKnownPosition<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (!isFixpointError(cause, 'MISSING_BLOCK')) throw cause;
    throw new FixpointError('HISTORY_COMPACTED', 'this position is unknown: start again without since', {
      cause,
    });
  }
}

/** Checks the parameter `wait` before the write. @throws FixpointError REQUEST_INVALID */
function checkWait({ uploads }: HandlerParts, { query }: ApiCall): void {
  const wait = query.get('wait');
  if (wait === undefined) return;
  if (wait !== 'cloud') throw new FixpointError('REQUEST_INVALID', 'wait must be cloud');
  if (uploads === undefined)
    throw new FixpointError('REQUEST_INVALID', 'wait=cloud needs an API that was started with --ledger');
}

/** Waits until the write is uploaded, if the client wants that. @throws ApiError */
async function uploaded({ uploads }: HandlerParts, { query, signal }: ApiCall): Promise<void> {
  if (query.get('wait') !== 'cloud') return;
  try {
    await uploads?.wait(signal);
  } catch (cause) {
    const code = isFixpointError(cause) ? cause.code : 'CONNECTION_NOT_OPEN';
    throw new ApiError(503, code, 'the change is saved on this device, but was not uploaded yet');
  }
}
