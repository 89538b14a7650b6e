import { afterEach } from 'vitest';
import { connectWith } from '../src/bridge/client.ts';
import { serveWith } from '../src/bridge/serve.ts';
import type { Database } from '../src/database/database.ts';

const ports: MessagePort[] = [];
afterEach(() => {
  for (const port of ports.splice(0)) port.close();
});

/** Returns a handle of a page at the other end of a bridge. */
export function inPage(database: Database): Database {
  const { port1, port2 } = new MessageChannel();
  ports.push(port1);
  serveWith(
    port2,
    () => database,
    () => () => undefined,
  );
  return connectWith(port1, { isWritten: () => false, mark: () => undefined }).open('db');
}
