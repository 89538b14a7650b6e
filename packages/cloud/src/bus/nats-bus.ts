/**
 * Sends hints through NATS, without persistence. A lost hint delays followers by about a second,
 * because they also check the tables every second.
 */
import { FixpointError } from '@fixpoint/protocol';
import { connect, type NatsConnection, StringCodec } from 'nats';
import { createListeners, type HintBus } from './hint-bus.ts';

const SUBJECT = 'fixpoint.hints';
const RECONNECT_MS = 250;

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
  // The server must know the subscription before this bus counts as open.
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
    close: async () => {
      subscription.unsubscribe();
      if (isAway.has(connection)) await connection.close();
      else await connection.drain();
    },
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
