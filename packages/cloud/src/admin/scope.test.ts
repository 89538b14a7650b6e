import { REQUESTS, type RequestType, type TokenRight } from '@fixpoint/protocol/admin';
import { describe, expect, test } from 'vitest';
import { isInScope, requireScope, type Scope } from './scope.ts';

const scope = (right: TokenRight, tenantId: string | undefined = 't'): Scope => ({
  tokenId: 'token',
  tenantId,
  right,
});
const types = Object.keys(REQUESTS) as RequestType[];
const ofNeed = (need: string) => types.filter((type) => REQUESTS[type].token === need);
const refused = (given: Scope | undefined) =>
  types.filter((type) => {
    try {
      requireScope(given, type);
      return false;
    } catch (cause) {
      expect(cause).toMatchObject({ code: 'FORBIDDEN' });
      return true;
    }
  });

describe('the scope of an API token', () => {
  test('[S2] allows every request to a person who signed in without a token', () => {
    expect(refused(undefined)).toEqual([]);
  });

  test.each([
    ['read', ['read']],
    ['write', ['read', 'write']],
    ['admin', ['read', 'write', 'admin']],
  ] as const)('[S2] allows a token with the right %s only requests that need one of %j', (right, needs) => {
    const allowed = needs.flatMap(ofNeed).toSorted();
    expect(types.filter((type) => !refused(scope(right)).includes(type)).toSorted()).toEqual(allowed);
  });

  test('[S2] allows a token with the right users only requests about users, and the list of databases', () => {
    const allowed = types.filter((type) => !refused(scope('users')).includes(type)).toSorted();
    expect(allowed).toEqual([
      'reqCreateUserToken',
      'reqListApplicationUsers',
      'reqListLedgersByUser',
      'reqPutApplicationUser',
      'reqRemoveApplicationUser',
    ]);
  });

  test('[S2] excludes requests that no token may send, even for a device', () => {
    const never = ofNeed('never');
    expect(never.length).toBeGreaterThan(0);
    for (const given of [scope('read'), scope('admin'), scope('admin', undefined)])
      expect(refused(given)).toEqual(expect.arrayContaining(never));
  });

  test('[S2] includes requests for devices only if the token has no tenant and the right admin', () => {
    const ofDevices = ofNeed('device');
    expect(ofDevices.length).toBeGreaterThan(0);
    expect(refused(scope('admin'))).toEqual(expect.arrayContaining(ofDevices));
    expect(refused({ ...scope('admin'), tenantId: undefined })).not.toEqual(
      expect.arrayContaining([ofDevices[0]]),
    );
    // A device without the right `admin` doesn't act as its user.
    expect(refused({ ...scope('write'), tenantId: undefined })).toEqual(expect.arrayContaining(ofDevices));
  });
});

describe('the tenants that a scope covers', () => {
  test('[S2] includes only the tenant of an API token', () => {
    expect([isInScope(scope('admin'), 't'), isInScope(scope('admin'), 'other')]).toEqual([true, false]);
    expect(isInScope(scope('admin'), 'T')).toBe(false);
  });

  test('includes all tenants for a device, and for a person who signed in', () => {
    expect([
      isInScope(undefined, 'any'),
      isInScope({ ...scope('read'), tenantId: undefined }, 'any'),
    ]).toEqual([true, true]);
  });
});
