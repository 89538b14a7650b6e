/**
 * Sends hints through LISTEN and NOTIFY of PostgreSQL, on a dedicated connection. Collects hints
 * for a few milliseconds, and sends them in one statement after the transaction that wrote the
 * data. A notification inside that transaction would serialize all commits of the database server.
 * The bus doesn't work with a connection pooler that assigns connections per transaction.
 */
import pg from 'pg';
import { createListeners, type HintBus } from './hint-bus.ts';

const CHANNEL = 'fixpoint_hints';
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

/**
 * @param report receives errors of broken connections. Until a new connection opens, hints from
 * other processes are lost
 */
export async function postgresBus(url: string, report: (error: unknown) => void): Promise<HintBus> {
  const { tell, subscribe } = createListeners();
  const waiting = new Set<string>();
  let client: pg.Client | undefined;
  let timer: NodeJS.Timeout | undefined;
  let retry: NodeJS.Timeout | undefined;
  let sending: Promise<void> = Promise.resolve();
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
    next.on('notification', ({ payload }) => tell(payload ?? ''));
    try {
      await next.connect();
      await next.query(`listen ${CHANNEL}`);
      client = next;
      if (closed) await next.end();
    } catch (cause) {
      lose(next, cause);
    }
  }

  async function send(): Promise<void> {
    const connection = client;
    if (connection === undefined) return;
    const texts = textsOf(waiting);
    waiting.clear();
    if (texts.length === 0) return;
    await connection
      .query(`select pg_notify('${CHANNEL}', text) from unnest($1::text[]) as text`, [texts])
      .catch((error) => lose(connection, error));
  }

  await open();
  return {
    publish: (ledgerId) => {
      // Delivers the hint in this process at once. PostgreSQL later sends the same hint back, which
      // is cheap, because followers then find nothing new.
      tell(ledgerId);
      if (waiting.size < WAITING_MAX) waiting.add(ledgerId);
      timer ??= setTimeout(() => {
        timer = undefined;
        sending = sending.then(send);
      }, GATHER_MS);
    },
    subscribe,
    close: async () => {
      closed = true;
      clearTimeout(timer);
      clearTimeout(retry);
      await sending;
      await send();
      await client?.end();
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
