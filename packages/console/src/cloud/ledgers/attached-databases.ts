/**
 * Keeps local databases attached, each to one ledger: of this server while somebody is signed in,
 * or of another server. They stay attached when the user opens other pages.
 */

import { type ErrorCode, FixpointError, gatewayBase, isFixpointError } from '@fixpoint/protocol';
import type { AdminClient } from '@fixpoint/protocol/admin';
import type { Attached, CloudOptions, SyncStatus } from 'fixpoint';
import { type BridgedDatabase, toCloud } from 'fixpoint/bridge';
import { storageBase } from '../../ui/pages/base-path.ts';
import { cloudToken, ledgersOf, type TokenPlace } from '../queries/queries.ts';
import { knownKind, type LedgerKind, MEMBER_OPTIONS } from './known-kinds.ts';
import { followUnsent } from './unsent-since.ts';

/** The ledger that a local database syncs with. */
export type AttachedPlace = Required<TokenPlace> & {
  readonly ledgerId: string;
  /** Undefined for a ledger of this server. */
  readonly other?: OtherServer | undefined;
};

interface OtherServer {
  /** Address of the server's pages. */
  readonly server: string;
  /** The user of this server who allowed the connection; null if nobody was signed in. */
  readonly user: string | null;
}

export interface AttachedDatabase {
  readonly place: AttachedPlace;
  readonly attached: Promise<Attached>;
  /** Undefined until the database is attached. */
  readonly status: SyncStatus | undefined;
  /** Why the database couldn't be attached. */
  readonly failure: unknown;
}

let all: ReadonlyMap<string, AttachedDatabase> = new Map();
/** Attachments that end. The next attachment of the same database waits for them. */
const ending = new Map<string, Promise<void>>();
const listeners = new Set<() => void>();

/** Returns the attached databases by name. The map is replaced when anything in it changes. */
export const attachedDatabases = (): ReadonlyMap<string, AttachedDatabase> => all;

/** Returns the tenant of an attached database, if it is one of this server. */
export const tenantHere = (attached: AttachedDatabase | undefined): string | undefined =>
  attached?.place.other === undefined ? attached?.place.tenantId : undefined;

/** Registers a listener for all changes. Returns a function that unsubscribes. */
export function onAttachedChange(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

function set(name: string, entry: AttachedDatabase | undefined): void {
  const next = new Map(all);
  if (entry === undefined) next.delete(name);
  else next.set(name, entry);
  all = next;
  for (const listener of [...listeners]) listener();
}

const isSame = (a: AttachedPlace, b: AttachedPlace): boolean =>
  a.tenantId === b.tenantId &&
  a.ledgerId === b.ledgerId &&
  a.other?.server === b.other?.server &&
  a.other?.user === b.other?.user;

/** Attaches a local database to a ledger, unless it is already attached to this ledger. */
export function attachLocal(api: AdminClient, database: BridgedDatabase, place: AttachedPlace): void {
  attachTo(database, place, async () => {
    const kind = await kindOf(api, place);
    return { base: storageBase(), ...(kind && { kind }), token: () => cloudToken(api, place) };
  });
}

/**
 * Attaches a local database to a ledger of another server.
 * @param options its `token` throws NOT_SIGNED_IN when the access has ended
 */
export function attachElsewhere(
  database: BridgedDatabase,
  place: AttachedPlace & { readonly other: OtherServer },
  options: Pick<CloudOptions, 'kind' | 'token'>,
): void {
  attachTo(database, place, async () => ({ base: gatewayBase(place.other.server), ...options }));
}

function attachTo(
  database: BridgedDatabase,
  place: AttachedPlace,
  optionsOf: () => Promise<Pick<CloudOptions, 'base' | 'kind' | 'token'>>,
): void {
  const { name } = database;
  const before = all.get(name);
  if (before !== undefined && isSame(before.place, place)) return;
  if (before !== undefined) void detachLocal(name);
  const attached = (async () => {
    await ending.get(name);
    const { tenantId: tenant, ledgerId: ledger } = place;
    return database.attach(toCloud({ ...(await optionsOf()), tenant, ledger, members: MEMBER_OPTIONS }));
  })();
  const isCurrent = () => all.get(name)?.attached === attached;
  const change = (part: Partial<AttachedDatabase>) => {
    const entry = all.get(name);
    if (entry?.attached === attached) set(name, { ...entry, ...part });
  };
  set(name, { place, attached, status: undefined, failure: undefined });
  attached.then(
    (made) => {
      if (!isCurrent()) return;
      followUnsent(name, made);
      change({ status: made.status() });
      made.onStatus((status) => change({ status }));
    },
    (failure: unknown) => change({ failure }),
  );
  database.onClosed(() => isCurrent() && set(name, undefined));
}

/**
 * Returns the kind that this browser knows, else the kind that the server lists.
 * @throws FixpointError NOT_FOUND if the user has no access to the ledger
 */
async function kindOf(
  api: AdminClient,
  { tenantId, ledgerId }: AttachedPlace,
): Promise<LedgerKind | undefined> {
  const known = knownKind({ ledgerId });
  if (known !== undefined) return known;
  const ledgers = await ledgersOf(api, tenantId);
  const listed = ledgers.find((ledger) => ledger.ledgerId === ledgerId);
  if (listed === undefined) throw new FixpointError('NOT_FOUND');
  return knownKind(listed);
}

/** Ends the sync of a local database. The database keeps its documents. */
export async function detachLocal(name: string): Promise<void> {
  const entry = all.get(name);
  if (entry === undefined) return;
  set(name, undefined);
  const before = ending.get(name);
  const ended = (async () => {
    await before;
    const attached = await entry.attached.catch(() => undefined);
    // The database may have been closed or deleted before.
    await attached?.detach().catch(() => undefined);
  })();
  ending.set(name, ended);
  await ended;
  if (ending.get(name) === ended) ending.delete(name);
}

/** Ends all syncs. */
export async function detachAll(): Promise<void> {
  await Promise.all([...all.keys()].map((name) => detachLocal(name)));
}

/** Ends the syncs of users who signed out, because they run with these users' rights. */
export async function detachSignedOut(): Promise<void> {
  const theirs = [...all].filter(([, { place }]) => place.other === undefined || place.other.user !== null);
  await Promise.all(theirs.map(([name]) => detachLocal(name)));
}

/** Forgets attachments that failed, so that the next `attachLocal` tries again. */
export function forgetFailed(): void {
  for (const [name, { failure }] of all) if (failure !== undefined) set(name, undefined);
}

/** Returns whether a failure means that the server couldn't be reached. */
export const isUnreachable = (failure: unknown): boolean =>
  isFixpointError(failure) && UNREACHED.has(failure.code);

const UNREACHED: ReadonlySet<ErrorCode> = new Set(['FETCH', 'TIMEOUT', 'WS', 'CONNECTION_NOT_OPEN']);
