/** Keeps a database and a ledger equal, from attach to detach: connects, fetches, sends, and starts again after whatever went wrong. */
import { FixpointError } from '@fixpoint/protocol';
import type { Metas } from '@fixpoint/protocol/storage';
import type { Commits } from '../commit/open.ts';
import { base58Text } from '../crypto/base58.ts';
import type { Platform } from '../ports/platform.ts';
import { downloadEntry, learnKeys } from './download.ts';
import { ledgerFields } from './objects.ts';
import type { Attached, SyncStatus } from './remote.ts';
import { remoteIdOf } from './remote-record.ts';
import { createStatus } from './status.ts';
import { connect } from './transport/connect.ts';
import type { Connection, Target } from './transport/connection.ts';
import { uploadPending } from './upload.ts';

const BACKOFF_FIRST_MS = 500;
const BACKOFF_MAX_MS = 30_000;
const REFUSALS = new Set(['NOT_SIGNED_IN', 'NOT_FOUND', 'FORBIDDEN', 'NO_TOKEN', 'AUTH_JWK_REQUIRED']);

export async function attach(commits: Commits, platform: Platform, target: Target): Promise<Attached> {
  const remoteId = remoteIdOf(target.gateway, target.tenant, target.ledger);
  const reqId = base58Text(platform.random.bytes(12));
  const status = createStatus();
  /** Entries that could not be fetched, by CID: tried again with each new connection and after each back-off. */
  const quarantine = new Map<string, Metas['metas'][number]>();
  let connection: Connection | undefined;
  let detached = false;
  let failures = 0;
  let stopTimer: () => void = () => undefined;
  /** Downloads and uploads of this database go one after another. */
  let work: Promise<void> = Promise.resolve();

  const enqueue = (job: (open: Connection) => Promise<void>) => {
    const open = connection;
    if (open === undefined) return;
    work = work
      .then(async () => {
        if (connection === open) await job(open);
      })
      .catch((cause) => lose(open, cause));
  };

  const send = () =>
    enqueue(async (open) => {
      status.set({ toSend: (await commits.pendingUploads()).length });
      while (connection === open && (await uploadPending(commits, platform, target, remoteId, open)));
      failures = 0;
      status.set({
        state: quarantine.size > 0 ? 'catching-up' : 'in-sync',
        toSend: 0,
        toFetch: quarantine.size,
        error: undefined,
      });
    });

  const receive = (metas: Metas) =>
    enqueue(async (open) => {
      await learnKeys(commits, metas);
      const entries = new Map([...quarantine, ...metas.metas.map((entry) => [entry.cid, entry] as const)]);
      if (entries.size > 0) status.set({ state: 'catching-up', toFetch: entries.size });
      for (const [cid, entry] of entries) {
        try {
          await downloadEntry(commits, platform, target, remoteId, open, entry);
          quarantine.delete(cid);
        } catch (cause) {
          if (!isPoisoned(cause)) throw cause;
          quarantine.set(cid, entry);
          platform.report(cause);
        }
      }
      send();
    });

  function lose(open: Connection | undefined, cause: unknown): void {
    if (open !== connection || detached) return;
    connection = undefined;
    open?.close();
    const error =
      cause instanceof FixpointError ? cause : new FixpointError('FETCH', String(cause), { cause });
    status.set({ state: REFUSALS.has(error.code) ? 'refused' : 'offline', error });
    failures += 1;
    const most = Math.min(BACKOFF_MAX_MS, BACKOFF_FIRST_MS * 2 ** Math.min(failures, 10));
    const jitter = (platform.random.bytes(1)[0] ?? 0) / 255;
    stopTimer = platform.time.after(most * (0.5 + jitter / 2), () => void start());
  }

  async function start(): Promise<void> {
    if (detached) return;
    status.set({ state: 'connecting' });
    try {
      const events = { metas: receive, closed: (cause: unknown) => lose(connection, cause) };
      const open = await connect(platform, target, reqId, events);
      if (detached) return open.close();
      connection = open;
      await open.bind(ledgerFields(target, 'meta', 'GET', 'main'));
      send();
    } catch (cause) {
      lose(connection, cause);
    }
  }

  const stopFeed = commits.subscribe(({ origin }) => {
    if (origin === 'remote' || connection === undefined) return;
    if (status.get().state === 'in-sync') status.set({ state: 'catching-up', toSend: 1 });
    send();
  });
  void start();

  return {
    status: status.get,
    onStatus: status.onChange,
    synced: async () => {
      for (;;) {
        const changed = status.next();
        await work;
        const { state }: SyncStatus = status.get();
        if (state === 'in-sync' && (await commits.pendingUploads()).length === 0) return;
        if (detached) throw new FixpointError('CONNECTION_NOT_OPEN');
        await changed;
      }
    },
    detach: async () => {
      detached = true;
      stopTimer();
      stopFeed();
      connection?.close();
      connection = undefined;
      await work;
      status.set({ state: 'offline' });
    },
  };
}

/** Whether the entry itself is at fault, so that the others can go on. */
const isPoisoned = (cause: unknown): boolean =>
  cause instanceof FixpointError &&
  ['MISSING_CARS', 'MISSING_BLOCK', 'CORRUPT', 'KEY_UNKNOWN', 'FORMAT_NEWER'].includes(cause.code);
