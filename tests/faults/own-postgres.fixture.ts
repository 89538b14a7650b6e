/**
 * A PostgreSQL server that a test may stop, and a standby that can replace it. Clients reach the
 * current primary through one address, as behind the virtual address of a cluster.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { appendFile, chown, mkdtemp, rm } from 'node:fs/promises';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

const ROOT = '/usr/lib/postgresql';
const [newest] = existsSync(ROOT) ? readdirSync(ROOT).sort().reverse() : [];
/** The reason why the tests can't start a PostgreSQL server, or undefined if they can. */
export const WITHOUT_POSTGRES = newest === undefined ? 'PostgreSQL is not installed' : undefined;

const isRoot = process.getuid?.() === 0;
/**
 * Runs a PostgreSQL program. The server refuses to run as root, so root starts the program as user
 * `postgres`.
 */
function program(name: string, args: readonly string[]): void {
  const path = join(ROOT, newest ?? '', 'bin', name);
  const [command, all] = isRoot ? ['runuser', ['-u', 'postgres', '--', path, ...args]] : [path, args];
  execFileSync(command as string, all as string[], { cwd: tmpdir(), stdio: 'ignore' });
}

const listening = (server: Server): Promise<number> =>
  new Promise((resolve) =>
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port)),
  );

async function freePort(): Promise<number> {
  const server = createServer();
  const port = await listening(server);
  await new Promise((closed) => server.close(closed));
  return port;
}

interface Forwarder {
  readonly port: number;
  /**
   * Closes open connections, and forwards new ones to a different port. Refuses new connections if
   * the port is undefined.
   */
  lead(to: number | undefined): void;
}

/** Listens on a port and forwards connections to another port of this machine. */
async function forwarder(to: number): Promise<Forwarder> {
  let target: number | undefined = to;
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    if (target === undefined) return void socket.destroy();
    const onward = connect(target, '127.0.0.1');
    for (const end of [socket, onward]) {
      open.add(end);
      end.on('error', () => undefined);
      end.on('close', () => {
        open.delete(end);
        socket.destroy();
        onward.destroy();
      });
    }
    socket.pipe(onward).pipe(socket);
  });
  const port = await listening(server);
  const lead = (next: number | undefined) => {
    target = next;
    for (const socket of open) socket.destroy();
  };
  onTestFinished(() => {
    lead(undefined);
    server.close();
  });
  return { port, lead };
}

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'fixpoint-postgres-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  if (isRoot) {
    const id = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
    await chown(folder, id('-u'), id('-g'));
  }
  return folder;
}

/** Starts the cluster whose data is in `data`. The caller stops the cluster when the test ends. */
function serve(data: string, port: number): void {
  const options = `-p ${port} -c listen_addresses=127.0.0.1 -c unix_socket_directories= -c wal_level=replica -c synchronous_commit=local`;
  program('pg_ctl', ['-D', data, '-l', join(data, 'log'), '-w', '-t', '180', '-o', options, 'start']);
}

const end = (data: string, mode: 'fast' | 'immediate') => {
  if (existsSync(join(data, 'postmaster.pid'))) program('pg_ctl', ['-D', data, '-m', mode, '-w', 'stop']);
};

export interface OwnPostgres {
  /** Address of the current primary. */
  readonly url: string;
  start(): void;
  /** Stops the server. The mode `immediate` simulates a crash. */
  stop(mode: 'fast' | 'immediate'): void;
  /** Starts a standby that receives each commit with a short delay. */
  standby(): Promise<Standby>;
}

interface Standby {
  /** Cuts the replication from the primary. */
  cutOff(): void;
  /** Promotes the standby to primary. It then has only the commits that it received. */
  promote(): void;
}

export async function ownPostgres(): Promise<OwnPostgres> {
  const data = await newFolder();
  program('initdb', ['-A', 'trust', '-U', 'postgres', '-E', 'UTF8', '-D', data]);
  const port = await freePort();
  onTestFinished(() => end(data, 'immediate'));
  serve(data, port);
  const address = await forwarder(port);
  return {
    url: `postgres://postgres@127.0.0.1:${address.port}/postgres`,
    start: () => serve(data, port),
    stop: (mode) => end(data, mode),
    standby: async () => {
      const replication = await forwarder(port);
      const copy = await newFolder();
      // Connects directly to the primary, because this program blocks the process that runs the
      // forwarder.
      const from = ['-h', '127.0.0.1', '-p', String(port), '-U', 'postgres'];
      program('pg_basebackup', [...from, '-D', copy, '-R', '-X', 'stream']);
      const source = `primary_conninfo = 'host=127.0.0.1 port=${replication.port} user=postgres'\n`;
      await appendFile(join(copy, 'postgresql.auto.conf'), source);
      const standbyPort = await freePort();
      onTestFinished(() => end(copy, 'immediate'));
      serve(copy, standbyPort);
      return {
        cutOff: () => replication.lead(undefined),
        promote: () => {
          program('pg_ctl', ['-D', copy, '-w', 'promote']);
          address.lead(standbyPort);
        },
      };
    },
  };
}
