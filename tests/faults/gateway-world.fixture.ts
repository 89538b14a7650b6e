/**
 * The real gateway in simulated time, with its tables and objects on disk. The gateway handles
 * requests and socket messages one at a time, and simulated time doesn't advance while it works.
 * Therefore, equal seeds produce equal runs.
 */
import '../../packages/engine/tests/sync-crypto.fixture.ts';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { requestMessage } from '@fixpoint/protocol/storage';
import { onTestFinished } from 'vitest';
import { type HintBus, localBus } from '../../packages/cloud/src/bus/hint-bus.ts';
import { httpConnections } from '../../packages/cloud/src/gateway/carriers/http-connections.ts';
import {
  carrierOf,
  createPopulation,
  newSocket,
} from '../../packages/cloud/src/gateway/carriers/socket-connection.ts';
import { createPresence } from '../../packages/cloud/src/gateway/content/presence.ts';
import { createObjectCare } from '../../packages/cloud/src/gateway/content/protect-objects.ts';
import { createStorageCount } from '../../packages/cloud/src/gateway/content/storage-count.ts';
import { createFanOut, type FanOut } from '../../packages/cloud/src/gateway/following/fan-out.ts';
import { createListings } from '../../packages/cloud/src/gateway/following/listings.ts';
import { createPolls } from '../../packages/cloud/src/gateway/following/polls.ts';
import { createGateway } from '../../packages/cloud/src/gateway/gateway.ts';
import { parseJson } from '../../packages/cloud/src/gateway/parse-json.ts';
import type { Seat } from '../../packages/cloud/src/gateway/presence/room.ts';
import { createPresenceRooms, type Presence } from '../../packages/cloud/src/gateway/presence/rooms.ts';
import { createBucket } from '../../packages/cloud/src/limits/token-bucket.ts';
import { openDiskObjects } from '../../packages/cloud/src/objects/disk-objects.ts';
import type { ObjectCare } from '../../packages/cloud/src/objects/object-guard.ts';
import { sealedKeyOf } from '../../packages/cloud/src/objects/sealed-key.ts';
import { serveObjects } from '../../packages/cloud/src/objects/serve-objects.ts';
import { urlSigner } from '../../packages/cloud/src/objects/signed-url.ts';
import { createLedgerRights } from '../../packages/cloud/src/rights/rights.ts';
import { loadSecrets } from '../../packages/cloud/src/secrets.ts';
import type { Db } from '../../packages/cloud/src/tables/connection.ts';
import { createTraffic } from '../../packages/cloud/src/tables/operators/traffic.ts';
import { type CloudTokens, createCloudTokens } from '../../packages/cloud/src/tokens/cloud-tokens.ts';
import {
  about,
  carKey,
  type Ledger,
  metaEntry,
  mint,
  newLedger,
  tablesOf,
} from '../../packages/cloud/tests/cloud.fixture.ts';
import { seededRandom } from '../../packages/engine/src/testing/seeded-random.ts';
import type {
  ReceivedRequest,
  ServerSocket,
  SimulatedServer,
} from '../../packages/engine/src/testing/simulated-network.ts';
import { type SimulatedTime, simulatedTime } from '../../packages/engine/src/testing/simulated-time.ts';
import {
  newReplica,
  type Replica,
  type Surroundings,
} from '../../packages/engine/tests/sync-world.fixture.ts';

const ORIGIN = 'http://gateway.test';
const TOKEN_LIFE_MS = 7_200_000;
const MUCH = { perSecond: 1_000_000, burst: 1_000_000 };

export interface GatewayWorld {
  readonly time: SimulatedTime;
  readonly db: Db;
  readonly tokens: CloudTokens;
  /** Folder that contains the object files. */
  readonly objects: string;
  /** Errors that the gateway reported, except those that the test injected. */
  readonly reports: unknown[];
  /** Creates a ledger whose replicas make their random choices with the seed. */
  ledger(seed: number, options?: Partial<Surroundings>): Promise<LedgerWorld>;
  /** Copies the tables of ledgers, as a backup does. */
  backup(): Promise<Backup>;
  /** Replaces the tables while the gateway runs. */
  restore(backup: Backup): Promise<void>;
  /** Makes the gateway check rights again, as an admin request that revokes rights does. */
  recheckRights(): Promise<void>;
  /**
   * Drops the gateway's memory and closes its sockets, as `kill -9` does. Tables and objects
   * remain.
   */
  kill(): void;
  /**
   * Kills the gateway after this many answers. The gateway still handles the next message, but
   * can't answer it.
   */
  killAfter(messages: number): void;
  offerStream(isOffered: boolean): void;
  /** Sets whether the object store accepts files. */
  takeFiles(isTaken: boolean): void;
  /** Moves the gateway's clock past the expiry of all issued tokens. */
  expireTokens(): void;
}

/** Rows by the name of their table. */
type Backup = Readonly<Record<'Ledgers' | 'Metas' | 'LedgerKeys' | 'LedgerObjects', readonly object[]>>;

export interface LedgerWorld {
  readonly notes: Ledger;
  /** Mints a token for the ledger. */
  token(): Promise<string>;
  replica(options?: Partial<Surroundings>): Replica;
  /** Puts a meta entry that refers to an object that isn't an archive. */
  poison(): Promise<void>;
}

interface Process {
  readonly rights: ReturnType<typeof createLedgerRights>;
  readonly care: ObjectCare;
  readonly gateway: ReturnType<typeof createGateway>;
  readonly fanOut: FanOut;
  readonly rooms: Presence;
  readonly carrierFor: ReturnType<typeof httpConnections>;
  readonly sockets: Set<ServerSocket>;
  isAlive: boolean;
}

/**
 * Returns a folder in memory if the system has one, because these tests don't depend on durability.
 */
async function dataFolder(): Promise<string> {
  const folder = await mkdtemp(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'fixpoint-faults-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

async function restoreTables(db: Db, backup: Backup): Promise<void> {
  await db.transaction().execute(async (tx) => {
    await tx.deleteFrom('Metas').execute();
    await tx.deleteFrom('LedgerKeys').execute();
    await tx.deleteFrom('LedgerObjects').execute();
    for (const row of backup.Metas)
      await tx
        .insertInto('Metas')
        .values(row as never)
        .execute();
    for (const row of backup.LedgerKeys)
      await tx
        .insertInto('LedgerKeys')
        .values(row as never)
        .execute();
    for (const row of backup.LedgerObjects)
      await tx
        .insertInto('LedgerObjects')
        .values(row as never)
        .execute();
    for (const { ledgerId, ...row } of backup.Ledgers as { ledgerId: string }[])
      await tx
        .updateTable('Ledgers')
        .set(row as never)
        .where('ledgerId', '=', ledgerId)
        .execute();
  });
}

/** Creates a gateway for the duration of one test. */
export async function gatewayWorld(): Promise<GatewayWorld> {
  const data = await dataFolder();
  const { db } = await tablesOf(data);
  const secrets = await loadSecrets(data);
  const objectSecret = Buffer.from(secrets.objects, 'hex');
  let last: Promise<unknown> = Promise.resolve();
  let waiting = 0;
  let killsIn = Number.POSITIVE_INFINITY;
  let isStreamOffered = true;
  let areFilesTaken = true;
  const former: Process[] = [];
  const reports: unknown[] = [];

  /** Runs tasks one at a time, in the order of their arrival. */
  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    waiting += 1;
    const mine = last.then(work).finally(() => {
      waiting -= 1;
    });
    last = mine.catch(() => undefined);
    return mine;
  }
  async function idle(): Promise<void> {
    // Even when no request is pending, the gateway may still send pages to followers.
    await process.fanOut.settled();
    while (waiting > 0) {
      await last;
      await process.fanOut.settled();
      // Clients process the answers before time advances.
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  const time = simulatedTime(undefined, idle);
  let aheadMs = 0;
  const now = () => time.now() + aheadMs;
  const tokens = await createCloudTokens(secrets.tokens, now);
  const objects = join(data, 'objects');
  const disk = await openDiskObjects(objects, sealedKeyOf, now);
  const bus: HintBus = localBus();
  const noteFault = (error: unknown) => void reports.push(error);
  const serve = () =>
    serveObjects(
      disk,
      urlSigner(objectSecret, now),
      undefined,
      () => undefined,
      () => process.care,
    );
  let process = startProcess();

  function startProcess(): Process {
    const rights = createLedgerRights(db, now);
    const served = serve();
    const report = noteFault;
    const presence = createPresence(served, now);
    const listings = createListings({ db, presence, presenceMs: 0, bus, now, report });
    const [count, traffic] = [createStorageCount(db, disk), createTraffic(db, now)];
    const care = createObjectCare({ db, presence, listings, count, traffic, now, report });
    const watch = { answered: () => undefined, delivered: () => undefined, cut: () => undefined };
    const rooms = createPresenceRooms({
      ...{ rights, channel: undefined, now, report, after: time.after },
      random: () => 0.5,
      newId: () => 'gateway',
    });
    const gateway = createGateway({
      db,
      tokens,
      rights,
      objects: served,
      presence,
      listings,
      bus,
      polls: createPolls(),
      rooms,
      traffic,
      now,
      report,
      watch,
      limits: {
        ofUser: createBucket(MUCH, now),
        ofAddress: createBucket(MUCH, now),
        connects: createBucket(MUCH, now),
        reports: createBucket(MUCH, now),
        logPuts: createBucket(MUCH, now),
        presence: createBucket(MUCH, now),
      },
      startsLogs: false,
      endpoints: { http: ['/fp'], socket: ['/ws'] },
    });
    return {
      rights,
      care,
      gateway,
      fanOut: createFanOut({ db, rights, listings, bus, report, watch, now }),
      carrierFor: httpConnections(objectSecret),
      rooms,
      sockets: new Set(),
      isAlive: true,
    };
  }

  function kill(): void {
    killsIn = Number.POSITIVE_INFINITY;
    process.isAlive = false;
    void process.rooms.stop();
    for (const socket of process.sockets) socket.close();
    former.push(process);
    process = startProcess();
  }

  /**
   * Counts an answer, and returns whether the process may send it. A killed process sends nothing.
   */
  function mayAnswer(asked: Process): boolean {
    if (asked.isAlive) {
      killsIn -= 1;
      if (killsIn < 0) kill();
    }
    return asked.isAlive;
  }

  async function answerRequest(request: ReceivedRequest, mine: Process) {
    const url = new URL(request.url);
    if (url.pathname === '/fp') {
      const narrowed = isStreamOffered ? {} : { capabilities: ['reqRes'] };
      const carrier = mine.carrierFor({ origin: ORIGIN, address: 'device', ...narrowed });
      const { answer } = await mine.gateway(parseJson(Buffer.from(request.body).toString()), carrier);
      const body = Buffer.from(JSON.stringify(answer));
      return { status: answer.type === 'error' ? 500 : 200, body: new Uint8Array(body) };
    }
    const isFile = request.method === 'PUT' && url.pathname.includes('/file/');
    if (isFile && !areFilesTaken) return { status: 503, body: new Uint8Array() };
    const asked = new Request(request.url, {
      method: request.method,
      ...(request.method === 'PUT' && {
        body: new Uint8Array(request.body),
        headers: { 'content-length': String(request.body.length) },
      }),
    });
    const response = await serve().handle(asked, `${url.pathname}${url.search}`, url.host);
    return { status: response.status, body: new Uint8Array(await response.arrayBuffer()) };
  }

  const server: SimulatedServer = {
    request: async (request) => {
      const mine = process;
      const answer = await inTurn(() => answerRequest(request, mine));
      if (!mayAnswer(mine)) throw new Error('the gateway was killed');
      return answer;
    },
    accept: (_url, socket) => {
      const mine = process;
      mine.sockets.add(socket);
      // The simulated socket replaces only the frames, the heartbeats and the order of answers.
      // Everything else is the code of the gateway.
      const open = newSocket({} as never);
      const seat: Seat = {
        isOpen: () => mine.sockets.has(socket),
        isReading: () => mine.sockets.has(socket),
        offer: (frame) => {
          send(String(frame));
          return true;
        },
      };
      const client = { origin: ORIGIN, address: 'device' };
      const carrier = { ...carrierOf(open, client, createPopulation(100)), seat };
      const send = (text: string) => (mine.isAlive ? socket.send(text) : undefined);
      const close = () => {
        mine.sockets.delete(socket);
        for (const stop of open.stops.values()) stop();
        open.stops.clear();
        mine.rooms.gone(seat);
      };
      return {
        message: (text) =>
          void inTurn(async () => {
            if (!mine.isAlive) return;
            const { answer, follow } = await mine.gateway(parseJson(text), carrier);
            if (!mayAnswer(mine)) return;
            send(JSON.stringify(answer));
            if (follow === undefined || !mine.sockets.has(socket)) return;
            open.stops.get(follow.ledger)?.();
            open.stops.set(follow.ledger, mine.fanOut.follow(follow, { send, cut: () => socket.close() }));
          }),
        closed: close,
      };
    },
  };

  onTestFinished(async () => {
    await idle();
    for (const one of [...former, process]) {
      await one.fanOut.stop();
      await one.rooms.stop();
    }
    await db.destroy();
  });

  async function poison(notes: Ledger): Promise<void> {
    const carrier = process.carrierFor({ origin: ORIGIN, address: 'device' });
    const ask = async (type: 'reqOpen' | 'reqPutData' | 'reqPutMeta', fields: Record<string, unknown>) => {
      const { answer } = await process.gateway(requestMessage(type, 'zP', notes.token, fields), carrier);
      if (answer.type === 'error') throw new Error(String(answer['message']));
      return answer;
    };
    const { conn } = await ask('reqOpen', { conn: { reqId: 'poison' } });
    const bytes = new Uint8Array(Buffer.from(`no archive, ${notes.ledger}`));
    const [key, entry] = [carKey(bytes), metaEntry([carKey(bytes)])];
    const { signedUrl } = await ask('reqPutData', { conn, ...about(notes, 'car', 'PUT', key) });
    const put = { method: 'PUT', url: String(signedUrl), body: bytes };
    if ((await answerRequest(put, process)).status !== 200) throw new Error('the store rejected the archive');
    await ask('reqPutMeta', { conn, ...about(notes, 'meta', 'PUT'), meta: { metas: [entry], keys: [] } });
  }

  return {
    time,
    db,
    tokens,
    objects,
    reports,
    kill,
    killAfter: (messages) => {
      killsIn = messages;
    },
    offerStream: (isOffered) => {
      isStreamOffered = isOffered;
    },
    takeFiles: (isTaken) => {
      areFilesTaken = isTaken;
    },
    backup: () =>
      inTurn(async () => ({
        Ledgers: await db.selectFrom('Ledgers').selectAll().execute(),
        Metas: await db.selectFrom('Metas').selectAll().execute(),
        LedgerKeys: await db.selectFrom('LedgerKeys').selectAll().execute(),
        LedgerObjects: await db.selectFrom('LedgerObjects').selectAll().execute(),
      })),
    restore: async (backup) => {
      await inTurn(() => restoreTables(db, backup));
      // Publishes a hint, because the sweep that would detect the change runs in real time.
      for (const { ledgerId } of backup.Ledgers as { ledgerId: string }[]) bus.publish(ledgerId);
      await process.fanOut.settled();
    },
    recheckRights: async () => {
      process.rights.forget();
      process.fanOut.recheck();
      process.rooms.recheck();
      await process.fanOut.settled();
      await process.rooms.settled();
    },
    expireTokens: () => {
      aheadMs += TOKEN_LIFE_MS;
    },
    ledger: async (seed, options = {}) => {
      const notes = await newLedger({ db, tokens });
      const random = seededRandom(seed);
      const cloud = { base: ORIGIN, tenant: notes.tenant, ledger: notes.ledger, token: notes.token };
      const here: Surroundings = { time, random, server, cloud, latencyMs: [1, 60], ...options };
      return {
        notes,
        token: () => inTurn(() => mint(tokens, notes.userId, notes.tenant, notes.ledger)),
        replica: (more) => newReplica({ ...here, ...more }),
        poison: () => inTurn(() => poison(notes)),
      };
    },
  };
}
