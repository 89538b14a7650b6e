import { FixpointError } from '@fixpoint/protocol';
import type { SyncStatus } from 'fixpoint';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { AttachedDatabase } from '../../cloud/ledgers/attached-databases.ts';
import { agreeTo, forgetAgreed } from '../../local/agreed-endpoints.ts';
import type { Connection } from '../../local/connections.ts';
import { describeStanding, standingOf } from './describe-standing.ts';

const place = { tenantId: 'zT', ledgerId: 'zL' };
const HERE = 'fpcloud://cloud.example/?tenant=zT&ledger=zL';
const connection = (part: Partial<Connection> = {}): Connection => ({
  localName: 'pantry',
  remoteName: 'pantry',
  sanitizedRemoteName: 'pantry',
  endpoint: HERE,
  firstConnect: false,
  ...part,
});
const attached = (part: Partial<AttachedDatabase>): AttachedDatabase => ({
  place,
  attached: new Promise(() => undefined),
  status: undefined,
  failure: undefined,
  ...part,
});
const status = (part: Partial<SyncStatus>): SyncStatus => ({
  state: 'in-sync',
  toSend: 0,
  toFetch: 0,
  ...part,
});

const ADA = 'ada@example.com';
/** Returns a connection to which the user agreed. */
function agreed() {
  agreeTo('pantry', HERE, ADA);
  return connection();
}

beforeEach(() => void vi.stubGlobal('location', { host: 'cloud.example', protocol: 'https:' }));
afterEach(() => forgetAgreed('pantry'));

describe('a database', () => {
  test.each([
    ['without a connection', undefined, 'local'],
    ['with a name only', connection({ endpoint: '' }), 'local'],
    ['with a server only', connection({ endpoint: 'fpcloud://cloud.example' }), 'local'],
    ['with an endpoint that can’t be read', connection({ endpoint: 'nonsense' }), 'unusable'],
    ['of an http server', connection({ endpoint: 'http://other.example' }), 'unusable'],
    ['of another server', connection({ endpoint: HERE.replace('cloud.', 'other.') }), 'elsewhere'],
    ['that a link connected', connection({ firstConnect: true }), 'asking'],
  ])('%s stands apart', (_which, known, is) => {
    expect(standingOf(known, ADA, undefined).is).toBe(is);
  });

  test('refuses a server below another path of this console’s origin', () => {
    vi.stubGlobal('document', { documentElement: { dataset: { base: '/a' } } });
    const endpoint = HERE.replace('example/', 'example/b/fp');
    const standing = standingOf(connection({ endpoint }), ADA, undefined);
    expect(standing.is).toBe('unusable');
    expect(describeStanding(standing)).toMatchObject({ why: expect.stringContaining('the same origin') });
  });

  test('syncs with the ledger that the user agreed to, and with no other', () => {
    agreeTo('pantry', HERE, ADA);
    expect(standingOf(connection({ firstConnect: true }), ADA, undefined).is).toBe('waiting');
    const other = connection({ firstConnect: true, endpoint: HERE.replace('zL', 'zOther') });
    expect(standingOf(other, ADA, undefined).is).toBe('asking');
  });

  test('asks another user of this browser, even after a first sync', () => {
    agreeTo('pantry', HERE, ADA);
    expect(standingOf(connection(), ADA, undefined).is).toBe('waiting');
    expect(standingOf(connection(), 'grace@example.com', undefined).is).toBe('asking');
  });

  test('waits for somebody to sign in', () => {
    expect([
      standingOf(connection(), null, undefined).is,
      standingOf(connection(), undefined, undefined).is,
    ]).toEqual(['signed-out', 'waiting']);
  });
});

describe('the word for a standing', () => {
  const wordOf = (part: Partial<SyncStatus>) =>
    describeStanding(standingOf(agreed(), ADA, attached({ status: status(part) })));

  test('has the reason, and what waits', () => {
    expect(wordOf({ state: 'refused', error: new FixpointError('NOT_FOUND') }).why).toMatch(
      /^You don’t have access/,
    );
    expect(wordOf({ state: 'offline', toSend: 2, error: new FixpointError('FETCH') }).why).toMatch(
      /^2 to send\. Couldn’t reach the server\./,
    );
  });

  test('tells a server that doesn’t answer from one that refuses', () => {
    const failing = (failure: unknown) =>
      describeStanding(standingOf(agreed(), ADA, attached({ failure }))).word;
    expect([failing(new FixpointError('FETCH')), failing(new FixpointError('FORBIDDEN'))]).toEqual([
      'Offline',
      'Refused',
    ]);
  });
});
