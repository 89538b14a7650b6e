import fc from 'fast-check';
import * as v from 'valibot';
import { describe, expect, test } from 'vitest';
import { applicationUserRequests, isSubject, rightsIn } from './application-user-requests.ts';
import { parseAnswer } from './requests.ts';

const { reqListApplicationUsers: LIST, reqPutApplicationUser: PUT } = applicationUserRequests;
const of = { tenantId: 'zTenant', applicationId: 'zApp' };
const isList = (payload: object) => v.is(LIST.payload, { tenantId: 'zTenant', ...payload });
const isPut = (payload: object) => v.is(PUT.payload, { ...of, subject: 'u1', ...payload });
const many = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`z${n}`, 'read']));

describe('the id of an own user', () => {
  test.each([
    'u1',
    'auth0|7',
    'user@app.example',
    ' ',
    'ü 名 😀',
    '__proto__',
    'constructor',
    'x'.repeat(255),
  ])('accepts %j', (subject) => {
    expect([isSubject(subject), isPut({ subject })]).toEqual([true, true]);
  });

  test.each(['', 'a\nb', 'a\u0000', 'a\u007f', '\ud800', 'x'.repeat(256), 7, null, undefined, ['u1'], {}])(
    'rejects %j',
    (subject) => {
      expect([isSubject(subject), isPut({ subject })]).toEqual([false, false]);
    },
  );
});

describe('the claim of rights', () => {
  test('keeps the right in each database', () => {
    expect(rightsIn({ zA: 'read', zB: 'write' })).toEqual({ zA: 'read', zB: 'write' });
    expect(rightsIn({})).toEqual({});
    expect(Object.keys(rightsIn(many(100)) ?? {})).toHaveLength(100);
  });

  test.each([
    ['nothing', undefined],
    ['null', null],
    ['text', 'write'],
    ['a list', ['zA']],
    ['an unknown right', { zA: 'admin' }],
    ['a right that every object inherits', { zA: 'constructor' }],
    ['a list as right', { zA: ['read'] }],
    ['one wrong right among others', { zA: 'read', zB: '' }],
    ['an id with a path', { '../zA': 'read' }],
    ['an empty id', { '': 'read' }],
    ['more than 100 databases', many(101)],
  ])('is ignored as a whole if it is %s', (_, claim) => {
    expect(rightsIn(claim)).toBeUndefined();
  });

  test('[S10] gives nothing to names with a meaning in JavaScript', () => {
    const claim: unknown = JSON.parse('{"__proto__":"write","constructor":"write","zA":"read"}');
    const rights = rightsIn(claim);
    expect(Object.getPrototypeOf(rights ?? {})).toBe(Object.prototype);
    expect(({} as Record<string, unknown>)['write']).toBeUndefined();
    expect(rights === undefined || rights['zA'] === 'read').toBe(true);
    expect(Object.hasOwn(rights ?? {}, '__proto__')).toBe(false);
  });

  test('returns rights or nothing for anything that a token may contain', () => {
    fc.assert(
      fc.property(fc.anything(), (claim) => {
        const rights = rightsIn(claim);
        for (const right of Object.values(rights ?? {})) expect(['read', 'write']).toContain(right);
      }),
    );
  });
});

describe('requests about own users', () => {
  test.each([
    ['no search', {}, true],
    ['an empty search', { search: '' }, true],
    ['a long search', { search: 'x'.repeat(320) }, true],
    ['a longer search', { search: 'x'.repeat(321) }, false],
    ['a search that is no text', { search: { like: '%' } }, false],
    ['a search with a control character', { search: 'a\u0000' }, false],
    ['a status', { status: 'banned' }, true],
    ['an unknown status', { status: 'inactive' }, false],
    ['the smallest page', { limit: 1 }, true],
    ['an empty page', { limit: 0 }, false],
    ['a part of a user', { limit: 1.5 }, false],
    ['a number as text', { limit: '5' }, false],
    ['an endless page', { limit: Number.POSITIVE_INFINITY }, false],
    ['a huge page', { limit: 1_000_000 }, false],
    ['an application that is no id', { applicationId: '../x' }, false],
  ])('lists users with %s: %j', (_, payload, isAccepted) => {
    expect(isList(payload)).toBe(isAccepted);
  });

  test.each([
    ['only a subject', {}, true],
    ['an empty name', { name: '' }, true],
    ['a long name', { name: 'x'.repeat(200) }, true],
    ['a longer name', { name: 'x'.repeat(201) }, false],
    ['a name of two lines', { name: 'a\nb' }, false],
    ['an address with a control character', { email: 'a\u0007@b' }, false],
    ['no rights', { rights: {} }, true],
    ['100 rights', { rights: many(100) }, true],
    ['101 rights', { rights: many(101) }, false],
    ['null as rights', { rights: null }, false],
  ])('puts a user with %s', (_, payload, isAccepted) => {
    expect(isPut(payload)).toBe(isAccepted);
  });

  test('accepts facts that a later server adds to users, and rejects users without an id', () => {
    const user = { userId: 'zUser', subject: 'u1' };
    const listed = { ...user, applicationId: 'zApp', status: 'paused', rights: 2, createdAt: '', later: 1 };
    expect(parseAnswer('reqListApplicationUsers', { users: [listed] })).toMatchObject({ users: [listed] });
    expect(() => parseAnswer('reqPutApplicationUser', { user: { subject: 'u1' } })).toThrow();
    expect(() => parseAnswer('reqListApplicationUsers', { users: [user] })).toThrow();
  });
});
