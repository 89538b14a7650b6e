/** The same database, opened in this thread and over the bridge to a worker. */

import type { BridgePort } from '../src/bridge/line.ts';
import type { Database, DatabaseOptions } from '../src/database/database.ts';
import { type Rows, rowsOf } from '../src/database/database-rows.ts';
import { openDatabase } from '../src/database/open.ts';
import { connectEngine } from '../src/entries/bridge.ts';
import { serveEngine } from '../src/entries/worker.ts';
import type { Platform } from '../src/ports/platform.ts';

export interface Place {
  readonly db: Database;
  readonly rows: Rows;
  end(): void;
}

export const PLACES: Readonly<Record<string, (platform: Platform, options?: DatabaseOptions) => Place>> = {
  direct: (platform, options) => {
    const db = openDatabase('db', platform, options);
    return { db, rows: rowsOf(db), end: () => undefined };
  },
  bridged: (platform, options) => {
    const { port1, port2 } = new MessageChannel();
    serveEngine(port2 as unknown as BridgePort, (name) => openDatabase(name, platform, options));
    const db = connectEngine(port1 as unknown as BridgePort).open('db');
    return { db, rows: db.rows, end: () => port1.close() };
  },
};
