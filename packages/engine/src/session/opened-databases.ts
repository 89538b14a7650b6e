/** The databases of a session: lists them, opens them, and detaches them when the session ends. */
import { FixpointError, gatewayBase, isFixpointError } from '@fixpoint/protocol';
import type { Collections } from '../collections/collection-types.ts';
import type { Database } from '../database/database.ts';
import type { CloudOptions, Remote } from '../sync/remote.ts';
import type { AccessToken } from './access-token.ts';
import type { Ask } from './session-calls.ts';
import type { SessionMemory } from './session-memory.ts';
import type { SessionDatabase, SessionOpened, SessionOpenOptions } from './session-types.ts';

/** The part of the engine that a session uses. Loaded with the first database that is opened. */
export interface SessionEngine {
  fixpoint(name: string, options: { readonly collections?: Collections }): object;
  toCloud(options: CloudOptions): Remote;
}

interface OpenOptions extends SessionOpenOptions {
  readonly userId: string;
  readonly collections?: Collections;
}

export interface OpenedDatabases {
  /**
   * Lists the databases of the signed-in person. Without a connection, returns those that the
   * server listed last for this person.
   */
  list(userId: string): Promise<readonly SessionDatabase[]>;
  open(ledgerId: string, name: string, options: OpenOptions): Promise<SessionOpened>;
  detachAll(): Promise<void>;
}

interface Parts {
  readonly base: string;
  readonly memory: SessionMemory;
  readonly ask: Ask;
  readonly access: AccessToken;
  readonly loadEngine: () => Promise<SessionEngine>;
}

export function openedDatabases(parts: Parts): OpenedDatabases {
  const opened = new Map<string, { readonly ledgerId: string; readonly opening: Promise<SessionOpened> }>();
  return {
    list: (userId) =>
      listDatabases(parts).catch((cause: unknown) => {
        const known = parts.memory.databases(userId);
        if (!isFixpointError(cause, 'FETCH') || known.length === 0) throw cause;
        return known;
      }),
    open: (ledgerId, name, options) => {
      const known = opened.get(name);
      // Otherwise, documents of one ledger would go to another one.
      if (known !== undefined && known.ledgerId !== ledgerId)
        return Promise.reject(new FixpointError('REQUEST_INVALID', `${name} is open for another database`));
      if (known !== undefined) return known.opening;
      const opening = attachTo(parts, ledgerId, name, options);
      opened.set(name, { ledgerId, opening });
      opening.catch(() => opened.get(name)?.opening === opening && opened.delete(name));
      return opening;
    },
    detachAll: async () => {
      const all = [...opened.values()];
      opened.clear();
      await Promise.allSettled(all.map(async ({ opening }) => (await opening).attached.detach()));
    },
  };
}

async function listDatabases({ memory, ask, access }: Parts): Promise<readonly SessionDatabase[]> {
  const userId = memory.session()?.user.userId;
  const answer = await access.use((accessToken) => ask('reqListApplicationDatabases', { accessToken }));
  const listed = answer['databases'];
  if (!Array.isArray(listed)) throw new FixpointError('UNEXPECTED_RESPONSE', 'databases');
  const databases = listed as readonly SessionDatabase[];
  // Somebody else may have signed in during the request.
  if (userId !== undefined && memory.session()?.user.userId === userId)
    memory.keepDatabases(userId, databases);
  return databases;
}

/**
 * Requires that no other person used the database of this device: their documents would be sent
 * to the cloud as this person's.
 * @throws FixpointError CONFLICT
 */
function requireOwn(memory: SessionMemory, name: string, userId: string, takeOver: boolean): void {
  if (!takeOver && memory.isOfAnother(name, userId))
    throw new FixpointError(
      'CONFLICT',
      `another person used the database ${name} on this device: open another name, or pass takeOver: true after destroy(), or to send their documents, too`,
    );
  memory.keepOwner(name, userId);
}

async function attachTo(
  parts: Parts,
  ledgerId: string,
  name: string,
  { userId, kind, files, takeOver = false, collections }: OpenOptions,
): Promise<SessionOpened> {
  const { memory } = parts;
  const isSame = (one: SessionDatabase) => one.ledgerId === ledgerId;
  const known = memory.databases(userId).find(isSame);
  const found = known ?? (await listDatabases(parts)).find(isSame);
  if (found === undefined) throw new FixpointError('NOT_FOUND', 'database');
  const { fixpoint, toCloud } = await parts.loadEngine();
  if (memory.session()?.user.userId !== userId) throw new FixpointError('NOT_SIGNED_IN');
  requireOwn(memory, name, userId, takeOver);
  const database = fixpoint(name, collections === undefined ? {} : { collections }) as Database;
  const remote = toCloud({
    base: gatewayBase(parts.base),
    tenant: found.tenantId,
    ledger: ledgerId,
    token: () => cloudToken(parts, ledgerId),
    ...(kind !== undefined && { kind }),
    ...(files !== undefined && { files }),
  });
  return { database, attached: await database.attach(remote) };
}

async function cloudToken({ ask, access }: Parts, ledgerId: string): Promise<string> {
  const { token } = await access.use((accessToken) =>
    ask('reqApplicationCloudToken', { accessToken, ledgerId }),
  );
  if (typeof token !== 'string') throw new FixpointError('UNEXPECTED_RESPONSE', 'token');
  return token;
}
