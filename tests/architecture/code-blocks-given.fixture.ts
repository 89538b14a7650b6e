/** Names that pages use without declaring them, because every application has them anyway. */

const LEDGER = 'declare const base: string, tenant: string, ledger: string, token: string;';
const APPLICATION = 'declare const applicationId: string, ledgerId: string;';

/** Declarations by page. */
export const GIVEN: Readonly<Record<string, string>> = {
  'README.md': 'declare const tenant: string, ledger: string, token: string;',
  'docs/guide/collections.md': 'declare const worker: Worker;',
  'docs/guide/database.md':
    "declare function showLost(): void; declare const ledger: Parameters<typeof import('fixpoint').toCloud>[0];",
  'docs/guide/install.md': `${LEDGER.replace('base: string, ', '')} declare const app: string;`,
  'docs/guide/presence.md': LEDGER,
  'docs/guide/sign-in.md': `${LEDGER} ${APPLICATION} declare const auth: { getToken(): Promise<string> };`,
  'docs/guide/sync.md': LEDGER.replace('base: string, ', ''),
  'packages/protocol/README.md':
    'declare const error: unknown; declare function showThatTheDiskIsFull(): void;',
  'packages/server/README.md': APPLICATION,
};

/** Files that code in the documentation imports, by path. */
export const MODULES: Readonly<Record<string, string>> = {
  'docs/guide/collections.ts': `
    import { collection } from 'fixpoint';
    import { z } from 'zod';
    export const todos = collection('todos', {
      schema: z.object({
        title: z.string(),
        done: z.boolean().default(false),
        list: z.string(),
        rank: z.number(),
      }),
    });`,
  'docs/guide/chores.ts': `
    import type { Database } from 'fixpoint';
    export declare function showChores(db: Database): () => void;`,
  'docs/guide/session.ts': `
    import type { Session } from 'fixpoint/session';
    export declare const session: Session;`,
  // The parts of other databases that migrations use. Only the benchmark installs these.
  'dexie.d.ts': `declare module 'dexie' {
    interface Table {
      readonly name: string;
      toCollection(): { primaryKeys(): Promise<unknown[]> };
      bulkGet(keys: readonly unknown[]): Promise<Record<string, unknown>[]>;
    }
    export default class Dexie {
      constructor(name: string);
      readonly tables: readonly Table[];
      open(): Promise<this>;
      close(): void;
    }
  }`,
  'node-sqlite.d.ts': `declare module 'node:sqlite' {
    export class DatabaseSync {
      constructor(file: string);
      exec(sql: string): void;
      prepare(sql: string): {
        run(...values: (string | number | Uint8Array)[]): unknown;
        all(...values: (string | number | Uint8Array)[]): unknown[];
      };
    }
  }`,
  'pouchdb.d.ts': `declare namespace PouchDB {
    interface Database {
      allDocs(options: object): Promise<{ rows: { id: string; doc?: { _id: string; _rev: string } }[] }>;
    }
  }`,
  'rxdb.d.ts': `declare module 'rxdb' {
    export interface RxDocument {
      readonly primary: string;
      toMutableJSON(): Record<string, unknown>;
      allAttachments(): { readonly id: string; getData(): Promise<Blob> }[];
    }
    export interface RxDatabase {
      readonly collections: Record<string, {
        readonly schema: { readonly primaryPath: string; readonly jsonSchema: { readonly attachments?: object } };
        find(query: object): { exec(): Promise<RxDocument[]> };
      }>;
    }
  }`,
};
