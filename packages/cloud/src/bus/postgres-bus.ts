/**
 * Sends hints through LISTEN and NOTIFY of PostgreSQL, on a dedicated connection. Collects hints
 * for a few milliseconds, and sends them in one statement after the transaction that wrote the
 * data. A notification inside that transaction would serialize all commits of the database server.
 * The bus doesn't work with a connection pooler that assigns connections per transaction.
 */
import pg from 'pg';
import { createListeners, createStateListeners, type HintBus } from './hint-bus.ts';

const CHANNEL = 'fixpoint_hints';
const STATES_CHANNEL = 'fixpoint_presence';
const GATHER_MS = 3;
const RECONNECT_MS = 250;
const CONNECT_MS = 5000;
/** Longest text of a notification. PostgreSQL allows almost 8000 bytes; ids are ASCII text. */
const CHARS_MAX = 7000;
/**
 * Maximum number of hints that wait for a connection. Drops further hints, because followers check
 * the tables anyway.
 */
const WAITING_MAX = 10_000;
/** Maximum number of texts about presence that wait. Later ones replace the oldest. */
const STATES_WAITING_MAX = 512;
/** Number of texts about presence in one statement. New hints go before the rest. */
const STATES_TOGETHER = 16;
/** `pg_notify` accepts fewer than 8,000 bytes. */
const STATE_CHARS_MAX = 7900;

/**
 * @param report receives errors of broken connections. Until a new connection opens, hints from
 * other processes are lost
 */
export async function postgresBus(url: string, report: (error: unknown) => void): Promise<HintBus> {
  const { tell, subscribe } = createListeners();
  const states = createStateListeners(report);
  const outbox = createOutbox(() => client, lose);
  let client: pg.Client | undefined;
  let retry: NodeJS.Timeout | undefined;
  let closed = false;

  function lose(broken: pg.Client, error: unknown): void {
    if (client === broken) client = undefined;
    else if (client !== undefined) return;
    broken.removeAllListeners('end');
    broken.end().catch(() => undefined);
    if (closed) return;
    if (error !== undefined) report(error);
    retry ??= setTimeout(() => {
      retry = undefined;
      void open();
    }, RECONNECT_MS);
  }

  async function open(): Promise<void> {
    const next = new pg.Client({
      connectionString: url,
      application_name: 'fixpoint-hints',
      connectionTimeoutMillis: CONNECT_MS,
      keepAlive: true,
    });
    next.on('error', (error) => lose(next, error));
    next.once('end', () => lose(next, undefined));
    next.on('notification', ({ channel, payload = '' }) =>
      channel === STATES_CHANNEL ? states.tell(payload) : tell(payload),
    );
    try {
      await next.connect();
      await next.query(`listen ${CHANNEL}; listen ${STATES_CHANNEL}`);
      client = next;
      if (closed) await next.end();
    } catch (cause) {
      lose(next, cause);
    }
  }

  await open();
  return {
    publish: (ledgerId) => {
      // Delivers the hint in this process at once. PostgreSQL later sends the same hint back, which
      // is cheap, because followers then find nothing new.
      tell(ledgerId);
      outbox.addHint(ledgerId);
    },
    subscribe,
    states: { send: outbox.addState, listen: states.listen },
    close: async () => {
      closed = true;
      clearTimeout(retry);
      await outbox.close();
      await client?.end();
    },
  };
}

/** Collects hints and texts about presence, and sends them together after a few milliseconds. */
function createOutbox(
  clientNow: () => pg.Client | undefined,
  lose: (broken: pg.Client, error: unknown) => void,
) {
  const hints = new Set<string>();
  const states: string[] = [];
  let timer: NodeJS.Timeout | undefined;
  let sending: Promise<void> = Promise.resolve();

  /** Sends all hints, then some texts about presence, then new hints. */
  async function send(): Promise<void> {
    do {
      const connection = clientNow();
      if (connection === undefined) {
        states.length = 0;
        return;
      }
      const texts = textsOf(hints);
      hints.clear();
      await notify(connection, CHANNEL, texts);
      await notify(connection, STATES_CHANNEL, states.splice(0, STATES_TOGETHER));
    } while (states.length > 0);
  }

  async function notify(connection: pg.Client, channel: string, texts: readonly string[]): Promise<void> {
    if (texts.length === 0) return;
    await connection
      .query(`select pg_notify('${channel}', text) from unnest($1::text[]) as text`, [texts])
      .catch((error) => lose(connection, error));
  }

  function sendSoon(): void {
    timer ??= setTimeout(() => {
      timer = undefined;
      sending = sending.then(send);
    }, GATHER_MS);
  }

  return {
    addHint: (ledgerId: string) => {
      if (hints.size < WAITING_MAX) hints.add(ledgerId);
      sendSoon();
    },
    addState: (text: string) => {
      if (text.length > STATE_CHARS_MAX) return;
      if (states.length >= STATES_WAITING_MAX) states.shift();
      states.push(text);
      sendSoon();
    },
    /** Sends the rest. */
    close: async () => {
      clearTimeout(timer);
      await sending;
      await send();
    },
  };
}

/** Joins ids with spaces, in as few texts as the size of a notification allows. */
function textsOf(ledgerIds: Iterable<string>): string[] {
  const texts: string[] = [];
  let text = '';
  for (const ledgerId of ledgerIds) {
    if (text.length + ledgerId.length > CHARS_MAX) {
      texts.push(text);
      text = '';
    }
    text += `${text && ' '}${ledgerId}`;
  }
  return text === '' ? texts : [...texts, text];
}
