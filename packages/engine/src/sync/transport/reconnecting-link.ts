/**
 * Keeps a connection to a remote open: detects when the connection ends, waits, and reopens it with
 * the same ids.
 */
import { FixpointError } from '@fixpoint/protocol';
import type { AnswerOf } from '@fixpoint/protocol/storage';
import type { Platform } from '../../ports/platform.ts';
import { type BackOffPlan, createBackOff } from '../back-off.ts';
import { asFailure, isRefusal } from '../failures.ts';
import type { Connect, Connection, KnownConn, Listing, Target } from './connection.ts';
import { newId } from './message-codec.ts';
import { ledgerFields } from './object-transfer.ts';

/**
 * For some minutes, a lost link reconnects within seconds after the network is back. Later waits
 * are longer to save resources.
 */
const RECONNECT: BackOffPlan = { firstMs: 250, mostMs: 3000, patientAfter: 100, patientMostMs: 30_000 };
const REFUSED: BackOffPlan = { firstMs: 8000, mostMs: 60_000, patientAfter: 100, patientMostMs: 60_000 };
/** After a link that lasted this long, the back-off starts over. */
const GOOD_MS = 5000;

/** A place in the history of the ledger, as reported by the gateway. */
interface Place {
  cursor: number;
  mark?: string | undefined;
}
type Bound = Record<string, unknown> & Place & { faulty?: readonly string[] };

interface LinkState {
  readonly state: 'connecting' | 'open' | 'offline' | 'refused';
  readonly error: FixpointError | undefined;
}

export interface LinkEvents {
  changed(): void;
  /**
   * Receives metas of the remote. Called at least once for each new connection, even without metas.
   */
  metas(listing: Listing): void;
}

export interface Link {
  start(): void;
  state(): LinkState;
  /** Returns the connection; undefined unless it is open. */
  connection(): Connection | undefined;
  /**
   * Resolves when this device has received all metas that the remote has at the time of the call.
   * @throws FixpointError when the connection fails first
   */
  refresh(): Promise<void>;
  /** Records the place of an entry that this device put, which the gateway doesn't send back. */
  placed(answer: AnswerOf<'resPutMeta'>): void;
  /** Reports objects that are missing or damaged at the remote. */
  tellFaulty(objects: readonly string[]): void;
  stop(): void;
}

export function keepLink(platform: Platform, target: Target, connect: Connect, events: LinkEvents): Link {
  const { time, random, network } = platform;
  const { bound, ...place } = createPlace(target);
  const delays = createDelays(platform);
  let state: LinkState = { state: 'connecting', error: undefined };
  let ids: KnownConn = { reqId: newId(random) };
  let connection: Connection | undefined;
  /** Increases with each try; callbacks of earlier tries are ignored. */
  let current = 0;
  let stopTimer: () => void = () => undefined;

  function show(next: LinkState['state'], error?: FixpointError): void {
    state = { state: next, error };
    events.changed();
  }

  function lost(cause: unknown): void {
    current += 1;
    connection?.close();
    connection = undefined;
    const error = asFailure(cause);
    const isNo = isRefusal(error);
    if (isNo) target.tokens.forget();
    stopTimer = time.after(delays.nextMs(isNo), () => void start());
    show(isNo ? 'refused' : 'offline', error);
  }

  async function start(): Promise<void> {
    stopTimer();
    current += 1;
    const mine = current;
    // Keeps the state `refused` during a try, until the try has a different result.
    if (state.state !== 'refused') show('connecting');
    place.connecting();
    try {
      const opened = await connect(ids, {
        metas: (event) => {
          if (mine !== current) return;
          place.moved(event);
          events.metas({ ...event, ...event.meta });
        },
        closed: (cause) => (mine === current ? lost(cause) : undefined),
      });
      if (mine !== current) return opened.close();
      connection = opened;
      ids = opened.conn;
      await opened.bind(bound);
      if (mine !== current) return;
      delays.opened();
      show('open');
    } catch (cause) {
      if (mine === current) lost(cause);
    }
  }

  const stopOnline = network.onOnline?.((isOnline) => {
    // A socket without a network would stay open. If the browser is wrong, `lost` connects again.
    if (!isOnline && connection) lost(new FixpointError('CONNECTION_NOT_OPEN'));
    if (!isOnline || connection || state.state === 'connecting') return;
    delays.online();
    void start();
  });

  return {
    start: () => void start(),
    state: () => state,
    connection: () => (state.state === 'open' ? connection : undefined),
    refresh: async () => connection?.bind(bound),
    placed: place.placed,
    tellFaulty: (objects) => connection && place.tellFaulty(connection, objects),
    stop: () => {
      current += 1;
      stopTimer();
      stopOnline?.();
      connection?.close();
      connection = undefined;
      show('offline');
    },
  };
}

/** Decides how long to wait before the next try. */
function createDelays({ time, random }: Pick<Platform, 'time' | 'random'>) {
  const offline = createBackOff(random, RECONNECT);
  const refused = createBackOff(random, REFUSED);
  let openedAt: number | undefined;
  return {
    online: offline.reset,
    opened: (): void => {
      openedAt = time.now();
      refused.reset();
    },
    nextMs: (isRefused: boolean): number => {
      if (openedAt !== undefined && time.now() - openedAt > GOOD_MS) offline.reset();
      openedAt = undefined;
      return isRefused ? refused.nextMs() : offline.nextMs();
    },
  };
}

/** Tracks how far this device has received the history of the ledger. */
function createPlace(target: Target) {
  /**
   * Fields of each request for metas. `cursor` and `mark` name the last meta received without a
   * gap, on any connection; the gateway sends only later ones. Every request includes both fields.
   * Otherwise the gateway would track the cursor itself, and take a repeated poll as proof that the
   * previous answer arrived.
   */
  const bound: Bound = { ...ledgerFields(target, 'meta', 'GET', 'main'), cursor: 0 };
  /** The last place of an entry that this device put. */
  let own = 0;
  return {
    bound,
    /**
     * Starts over if the gateway acknowledged an entry of this device, but the cursor hasn't
     * reached the place of that entry. Restored tables could lack the entry, and the earlier cursor
     * wouldn't show that.
     */
    connecting: (): void => {
      if (own > bound.cursor) Object.assign(bound, { cursor: 0, mark: undefined });
    },
    /**
     * Moves the cursor, but only if no earlier event is missing: events may overtake each other.
     */
    moved: ({ after, cursor, mark, anew }: AnswerOf<'eventGetMeta'>): void => {
      if (after === undefined || cursor === undefined) return;
      if (anew) own = 0;
      if (after === 0 || (after <= bound.cursor && bound.cursor <= cursor))
        Object.assign(bound, { cursor, mark });
    },
    placed: ({ after, afterMark, cursor = 0, mark }: AnswerOf<'resPutMeta'>): void => {
      // Compares the marks as well as the numbers. If the tables lost their newest entries, the
      // same number may be the place of an entry that this client never received.
      if (after === bound.cursor && afterMark === (bound.mark ?? '')) Object.assign(bound, { cursor, mark });
      own = Math.max(own, cursor);
    },
    /**
     * Reports objects in one request. `bound` is shared with later requests, which must not repeat
     * the report.
     */
    tellFaulty: (connection: Connection, objects: readonly string[]): void => {
      bound.faulty = objects;
      connection.bind(bound).catch(() => undefined);
      delete bound.faulty;
    },
  };
}
