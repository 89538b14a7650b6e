/**
 * Sends hints through NATS, without persistence. A lost hint delays followers by about a second,
 * because they also check the tables every second.
 */
import { FixpointError } from '@fixpoint/protocol';
import { connect, type NatsConnection, StringCodec } from 'nats';
import { createListeners, createStateListeners, type HintBus, type StateChannel } from './hint-bus.ts';

const SUBJECT = 'fixpoint.hints';
const STATES_SUBJECT = 'fixpoint.presence';
const RECONNECT_MS = 250;
/** Number of texts about presence that are sent, and that wait, at once. */
const STATES_TOGETHER = 16;
const STATES_WAITING_MAX = 512;

/**
 * @param urls addresses of servers of one cluster
 * @throws FixpointError CONFIG_INVALID when no server answers at start
 */
export async function natsBus(urls: readonly string[], report: (error: unknown) => void): Promise<HintBus> {
  const { tell, subscribe } = createListeners();
  const texts = StringCodec();
  const connection = await connectTo(urls);
  const subscription = connection.subscribe(SUBJECT, {
    callback: (error, message) => {
      if (error !== null) report(error);
      else tell(texts.decode(message.data));
    },
  });
  const states = createStateListeners(report);
  const stateSubscription = connection.subscribe(STATES_SUBJECT, {
    callback: (error, message) => {
      if (error !== null) report(error);
      else states.tell(texts.decode(message.data));
    },
  });
  // The server must know the subscriptions before this bus counts as open.
  await connection.flush();
  // Not awaited: this loop runs as long as the connection exists.
  watch(connection, report).catch(report);
  return {
    publish: (ledgerId) => {
      tell(ledgerId);
      // While the server is away, the client would buffer all messages. Drops the hints instead.
      if (!isAway.has(connection)) connection.publish(SUBJECT, texts.encode(ledgerId));
    },
    subscribe,
    states: { send: pacedStates(connection, report), listen: states.listen },
    close: async () => {
      subscription.unsubscribe();
      stateSubscription.unsubscribe();
      if (isAway.has(connection)) await connection.close();
      else await connection.drain();
    },
  };
}

/**
 * Returns a function that sends texts about presence, a few at a time, so that hints don't wait
 * behind many of them, and a slow server doesn't fill the memory of this process.
 */
function pacedStates(connection: NatsConnection, report: (error: unknown) => void): StateChannel['send'] {
  const texts = StringCodec();
  const waiting: string[] = [];
  let isRunning = false;
  async function run(): Promise<void> {
    while (waiting.length > 0 && !isAway.has(connection)) {
      for (const text of waiting.splice(0, STATES_TOGETHER))
        connection.publish(STATES_SUBJECT, texts.encode(text));
      await connection.flush();
    }
    waiting.length = 0;
  }
  return (text) => {
    if (isAway.has(connection) || connection.isClosed()) return;
    if (waiting.length >= STATES_WAITING_MAX) waiting.shift();
    waiting.push(text);
    if (isRunning) return;
    isRunning = true;
    void run()
      .catch(report)
      .finally(() => {
        isRunning = false;
      });
  };
}

const isAway = new WeakSet<NatsConnection>();

async function watch(connection: NatsConnection, report: (error: unknown) => void): Promise<void> {
  for await (const { type, data } of connection.status()) {
    if (type === 'disconnect') isAway.add(connection);
    if (type === 'reconnect') isAway.delete(connection);
    if (type === 'error') report(new Error(`NATS: ${String(data)}`));
  }
}

async function connectTo(urls: readonly string[]): Promise<NatsConnection> {
  const accounts = urls.map((url) => new URL(url));
  const [first] = accounts;
  try {
    return await connect({
      servers: accounts.map(({ host }) => host),
      ...(first?.username && {
        user: decodeURIComponent(first.username),
        pass: decodeURIComponent(first.password),
      }),
      ...(first?.protocol === 'tls:' && { tls: {} }),
      name: 'fixpoint',
      // Never gives up reconnecting.
      maxReconnectAttempts: -1,
      reconnectTimeWait: RECONNECT_MS,
      pingInterval: 10_000,
    });
  } catch (cause) {
    const why = (cause as Error).message;
    throw new FixpointError('CONFIG_INVALID', `HINT_BUS: no NATS server answers: ${why}`, { cause });
  }
}
