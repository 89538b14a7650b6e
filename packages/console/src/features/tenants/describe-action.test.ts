import { describe, expect, test } from 'vitest';
import { describeAction } from './describe-action.ts';

const names: Record<string, string> = { u1: 'Ada', u2: 'Grace', l1: 'notes' };
const told = (action: string, detail: object) =>
  describeAction({ action, detail: JSON.stringify(detail), userId: 'u1' }, (id) => names[id]);
const words = (action: string, detail: object) => told(action, detail).did;

describe('the sentence for an action', () => {
  test.each([
    [
      'reqCreateLedger',
      { ledger: { tenantId: 't1', name: 'notes', kind: 'open-key' } },
      'created the database notes',
    ],
    [
      'reqCreateLedger',
      { ledger: { name: 'notes', kind: 'sealed' } },
      'created the database notes, encrypted end-to-end',
    ],
    ['reqUpdateLedger', { ledger: { ledgerId: 'l1', name: 'diary' } }, 'renamed a database to diary'],
    [
      'reqShareLedger',
      { ledger: { ledgerId: 'l1', tenantId: 't1' }, userId: 'u2', right: 'read' },
      'shared notes with Grace, who can read',
    ],
    ['reqShareLedger', { ledger: { ledgerId: 'l1' }, userId: 'u2' }, 'shared notes with Grace'],
    ['reqUnshareLedger', { ledger: { ledgerId: 'l1' }, userId: 'u2' }, 'ended the access of Grace to notes'],
    [
      'reqInviteUser',
      { ticket: { query: { byEmail: 'a@b.cd' }, invitedParams: { tenant: { id: 't1', role: 'admin' } } } },
      'invited a@b.cd as an admin',
    ],
    [
      'reqInviteUser',
      { ticket: { query: { byEmail: 'a@b.cd' }, invitedParams: { ledger: { id: 'l1', right: 'read' } } } },
      'invited a@b.cd to notes',
    ],
    ['reqUpdateUserTenant', { tenantId: 't1', userId: 'u2', role: 'member' }, 'made Grace a member'],
    ['reqRemoveMember', { tenantId: 't1', userId: 'u2' }, 'removed Grace'],
    ['reqCreateTenant', { tenant: { name: 'Lab' } }, 'created the tenant Lab'],
    ['reqUpdateTenant', { tenant: { tenantId: 't1', name: 'Lab' } }, 'renamed the tenant to Lab'],
    ['reqTransferTenant', { tenantId: 't1', userId: 'u2' }, 'made Grace the owner'],
    [
      'reqCreateApiToken',
      { tenantId: 't1', name: 'nightly', right: 'read' },
      'created the API token nightly',
    ],
  ])('says for %s %o: %s', (action, detail, expected) => {
    expect(words(action, detail)).toBe(expected);
  });

  test('says that somebody left only if the request was about themselves', () => {
    expect(words('reqRemoveMember', { tenantId: 't1' })).toBe('left the tenant');
    expect(words('reqRemoveMember', { tenantId: 't1', userId: 'u1' })).toBe('left the tenant');
    expect(words('reqRemoveMember', { tenantId: 't1', userId: 'u9' })).toBe('removed a member');
  });

  test('uses general words when a name is unknown, and for other actions', () => {
    expect(told('reqShareLedger', { ledger: { ledgerId: 'l9' }, userId: 'u2', right: 'read' })).toEqual({
      did: 'shared a database',
      details: ['Grace', 'read'],
    });
    expect(words('reqRevokeApiToken', {})).toBe('revoked an API token');
  });

  test('shows unknown actions of a newer server unchanged', () => {
    expect(words('reqPaintLedger', {})).toBe('reqPaintLedger');
    expect(words('constructor', {})).toBe('constructor');
  });
});

describe('the details of an action', () => {
  test('lists what the sentence doesn’t contain', () => {
    expect(told('reqInviteUser', { ticket: { query: { byEmail: 'a@b.cd' } }, note: 'hello' })).toEqual({
      did: 'invited a@b.cd',
      details: ['hello'],
    });
    expect(told('reqCreateApiToken', { name: 'nightly', right: 'read' }).details).toEqual(['read']);
  });

  test('omits unknown ids and numbers, and repeats nothing', () => {
    expect(told('reqPaint', { names: ['x', 'x'], none: null, count: 2, otherId: 'u9' }).details).toEqual([
      'x',
    ]);
  });

  test('shows a detail that is not JSON unchanged', () => {
    const { details } = describeAction({ action: 'reqPaint', detail: 'oh {', userId: 'u1' }, () => undefined);
    expect(details).toEqual(['oh {']);
  });
});
