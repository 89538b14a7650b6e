import { readFile, writeFile } from 'node:fs/promises';
import { requestTypes } from '@fixpoint/protocol/storage';
import { describe, expect, test } from 'vitest';
import {
  about,
  commit,
  httpClient,
  type Ledger,
  newLedger,
  newMember,
  putJson,
  rawSocket,
  type TestCloud,
  testCloud,
} from '../cloud.fixture.ts';
import { CREDENTIALS } from './credentials.ts';
import { accessDocument } from './document.ts';
import { GATEWAY_ROWS, type GatewayRow, outcomeOf, TARGETS, type Target } from './table.ts';

const PAGE = new URL('../../../../docs/access.md', import.meta.url);
type Json = Record<string, unknown>;
type Ask = (message: Json) => Promise<Json>;

/** Creates another ledger in the tenant of the first. */
async function ledgerBeside(cloud: TestCloud, own: Ledger): Promise<Ledger> {
  const ledger = `${own.ledger}beside`;
  const row = await cloud.db
    .selectFrom('Ledgers')
    .selectAll()
    .where('ledgerId', '=', own.ledger)
    .executeTakeFirstOrThrow();
  await cloud.db
    .insertInto('Ledgers')
    .values({ ...row, ledgerId: ledger, name: 'beside' })
    .execute();
  return { ...own, ledger, token: own.token };
}

/** Returns all rows and objects of these ledgers. */
async function stored({ db }: TestCloud, ledgers: readonly string[]): Promise<string> {
  const [metas, keys, rows] = await Promise.all([
    db.selectFrom('Metas').selectAll().where('ledgerId', 'in', ledgers).execute(),
    db.selectFrom('LedgerKeys').selectAll().where('ledgerId', 'in', ledgers).execute(),
    db.selectFrom('Ledgers').select(['ledgerId', 'metaSeq']).where('ledgerId', 'in', ledgers).execute(),
  ]);
  return JSON.stringify([metas, keys, rows]);
}

function messageOf(row: GatewayRow, auth: unknown, conn: unknown, target: Ledger): Json {
  const method = row.type.includes('Put') ? 'PUT' : row.type.includes('Del') ? 'DELETE' : 'GET';
  return {
    type: row.type,
    tid: 'zAccess',
    version: 'FP-MSG-1.0',
    auth,
    conn,
    ...about(target, row.store, method, row.store === 'meta' ? 'main' : 'baembei'),
    // Allowed writes are harmless: they add no entries, and remove no existing keys.
    meta: { metas: [], keys: ['zThief'] },
    presence: { id: 'guestxxxxxxxxxxx1', state: 'sealed' },
  };
}

async function checkCells(
  ask: Ask,
  auth: unknown,
  worth: (typeof CREDENTIALS)[number]['worth'],
  targets: Record<Target, Ledger>,
  transport: 'http' | 'websocket',
) {
  const opened = await ask({ type: 'reqOpen', tid: 'zOpen', auth, conn: { reqId: 'zAccess' } });
  const conn = opened['conn'] ?? { reqId: 'zAccess', resId: 'zGuess' };
  for (const row of GATEWAY_ROWS) {
    const answers = new Map<Target, Json>();
    for (const target of TARGETS) {
      // Each message on a socket has an id of its own, which says nothing about the target.
      const { requestId: _, ...answer } = await ask(messageOf(row, auth, conn, targets[target]));
      answers.set(target, answer);
      const outcome = outcomeOf(row, worth, target);
      const cell = `${row.type} ${target}`;
      if (outcome === 'allowed') {
        if (row.type === 'reqClose' && target !== 'own') expect(answer['code'], cell).toBe('NO_CONNECTION');
        else if (row.type === 'reqPresence' && transport === 'http')
          expect(answer['code'], cell).toBe('NOT_IMPLEMENTED');
        else expect(answer['type'], cell).not.toBe('error');
        continue;
      }
      expect(answer['type'], cell).toBe('error');
      const isAuthMalformed = String(answer['path']).startsWith('auth');
      const codes =
        outcome === 'NOT_SIGNED_IN'
          ? [outcome, 'AUTH_JWK_REQUIRED', ...(isAuthMalformed ? ['REQUEST_INVALID'] : [])]
          : [outcome];
      expect(codes, cell).toContain(answer['code']);
      expect(answer, cell).not.toHaveProperty('signedUrl');
      expect(answer, cell).not.toHaveProperty('conn');
    }
    if (worth === 'unsigned') expect(answers.get('own')).toEqual(answers.get('not existing'));
    if (row.needs !== 'token')
      for (const target of ['other ledger', 'other tenant'] as const)
        expect(answers.get(target), row.type).toEqual(answers.get('not existing'));
  }
}

describe('[S1] access', () => {
  test('covers every request of the gateway, with at least 28 wrong credentials', () => {
    expect(GATEWAY_ROWS.map(({ type }) => type).sort()).toEqual(requestTypes().sort());
    expect(CREDENTIALS.filter(({ worth }) => worth !== 'writer').length).toBeGreaterThanOrEqual(28);
  });

  test('prints docs/access.md', async () => {
    const printed = accessDocument();
    if (process.env['FIXPOINT_PRINT'] === '1') await writeFile(PAGE, printed);
    expect(await readFile(PAGE, 'utf8')).toBe(printed);
  });

  test.each(['http', 'websocket'] as const)(
    '%s: answers each request with each credential and target according to the table; rejected requests have no effect',
    async (transport) => {
      const cloud = await testCloud();
      const other = await newLedger(cloud);
      await commit(await httpClient(cloud, other), other, 'of another tenant');
      const nobody: Ledger = { ...other, tenant: 'zNoTenant', ledger: 'zNoLedger' };
      const overHttp: Ask = async (message) => (await putJson(`${cloud.url}/fp`, message)).body;
      const arrange = async () => {
        const own = await newLedger(cloud);
        const beside = await ledgerBeside(cloud, own);
        // Another user writes the first entry. The server caches the rights of the writer, and a
        // credential may have to revoke the admin's rights.
        const seed = await newMember(cloud, own, 'write');
        await commit(await httpClient(cloud, seed), own, `of ${own.ledger}`);
        return { own, beside, ledgers: [own.ledger, beside.ledger, other.ledger] };
      };
      const shared = await arrange();
      for (const { name, worth, make } of CREDENTIALS) {
        // Creating a barred credential may revoke the rights of all users of its ledgers.
        const { own, beside, ledgers } = worth === 'barred' ? await arrange() : shared;
        const auth = await make(cloud, own);
        const before = await stored(cloud, ledgers);
        const ask = transport === 'http' ? overHttp : (await rawSocket(cloud)).ask;
        const targets = { own, 'other ledger': beside, 'other tenant': other, 'not existing': nobody };
        await checkCells(ask, auth, worth, targets, transport).catch((cause) => {
          throw new Error(`${name}: ${(cause as Error).message}`, { cause });
        });
        expect(await stored(cloud, ledgers), name).toBe(before);
      }
    },
    60_000,
  );
});
