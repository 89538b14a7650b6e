import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { makeTenant, openAdmin } from './admin.fixture.ts';
import { cleanEmail, isEmail, normalEmail } from './parts/email-address.ts';

describe('reqFindUser', () => {
  async function openWithUsers() {
    const parts = await openAdmin();
    const [ada, bob] = [await parts.signUp('ada'), await parts.signUp('bob')];
    const find = async (query: object) => (await ada.ask('reqFindUser', { query })).results;
    return { ...parts, ada, bob, find };
  }

  test('[3.2] finds a user by whole address or id, and returns only the fields that the specification lists', async () => {
    const { bob, find } = await openWithUsers();
    const found = [
      {
        userId: bob.userId,
        byProviders: [
          { queryProvider: 'fake', cleanEmail: 'bob@example.com', params: { email_verified: false } },
        ],
      },
    ];
    expect(await find({ byString: 'bob@example.com' })).toEqual(found);
    expect(await find({ byString: '  BOB@Example.com ' })).toEqual(found);
    for (const near of ['b.o.b+tag@example.com', 'bob+tag@example.com', 'bo.b@example.com'])
      expect(await find({ byString: near }), near).toEqual([]);
    expect(await find({ byString: bob.userId })).toEqual(found);
    expect(await find({ existingUserId: bob.userId })).toEqual(found);
    expect(await find({ byEmail: 'bob@example.com' })).toEqual(found);
    expect(await find({ byEmail: 'bob@example.com', andProvider: 'fake' })).toEqual(found);
  });

  test('[S1] finds no user by a part of an address or id, or by a pattern, so that nobody can list users', async () => {
    const { bob, find } = await openWithUsers();
    const vague = [
      '',
      ' ',
      '%',
      '*',
      '@example.com',
      'bob',
      'bob@',
      'bob@%',
      '_ob@example.com',
      '.*',
      bob.userId.slice(1),
    ];
    for (const byString of vague) expect(await find({ byString }), byString).toEqual([]);
    expect(await find({})).toEqual([]);
    expect(await find({ byEmail: bob.userId })).toEqual([]);
    expect(await find({ byNick: 'bob' })).toEqual([]);
    expect(await find({ byEmail: 'bob@example.com', andProvider: 'other' })).toEqual([]);
  });

  test("doesn't confuse people with similar addresses", async () => {
    const { signUp, find, bob } = await openWithUsers();
    const lookalike = await signUp('eve', { email: 'bo.b@example.com' });
    expect((await find({ byString: 'bob@example.com' })).map(({ userId }) => userId)).toEqual([bob.userId]);
    const [found] = await find({ byString: 'bo.b@example.com' });
    expect(found?.userId).toBe(lookalike.userId);
    expect(found?.byProviders[0]?.cleanEmail).toBe('bo.b@example.com');
  });

  test("doesn't find a user who isn't active", async () => {
    const { bob, find, db } = await openWithUsers();
    await db.updateTable('Users').set({ status: 'banned' }).where('userId', '=', bob.userId).execute();
    expect(await find({ byString: 'bob@example.com' })).toEqual([]);
    expect(await find({ existingUserId: bob.userId })).toEqual([]);
  });

  test('rejects more than thirty requests per minute and user', async () => {
    const { ada, bob, find } = await openWithUsers();
    for (let i = 0; i < 30; i += 1) await find({ byString: 'x@example.com' });
    const refusal = await ada.refused('reqFindUser', { query: { byString: 'bob@example.com' } });
    expect(refusal).toMatchObject({ status: 429, code: 'RATE_LIMITED' });
    expect(refusal.message).toMatch(/^too many requests: again in \d+ s$/);
    await makeTenant(ada);
    await bob.ask('reqFindUser', { query: { byString: 'ada@example.com' } });
  });
});

describe('an address', () => {
  test.each([
    ['a.C+bla@b.de', 'ac@b.de'],
    [' John.Doe@Example.COM ', 'johndoe@example.com'],
    ['a+b+c@d.e', 'ab@d.e'],
    ['"odd@name"@d.e', 'oddname@d.e'],
    ['jürgen@d.e', 'jrgen@d.e'],
    ['ü@d.e', 'ü@d.e'],
  ])('is searched in a clean form: %s as %s', (email, clean) => {
    expect(cleanEmail(email)).toBe(clean);
  });

  test("can't be searched without text on both sides of the @", () => {
    for (const text of ['', '@', 'a@', '@b.de', 'nobody']) expect(cleanEmail(text)).toBeUndefined();
  });

  test('differs from an address with other non-ASCII letters, even in the clean form', () => {
    expect(cleanEmail('ä@x.de')).not.toBe(cleanEmail('ö@x.de'));
  });

  test("keeps its domain in the clean form, which doesn't change when it is cleaned again", () => {
    fc.assert(
      fc.property(fc.emailAddress(), (email) => {
        const clean = cleanEmail(email) ?? '';
        expect(cleanEmail(clean)).toBe(clean);
        expect(clean.split('@').at(-1)).toBe(email.toLowerCase().split('@').at(-1));
        expect(normalEmail(normalEmail(email))).toBe(normalEmail(email));
      }),
    );
  });

  test('requires one @ and a domain with a dot', () => {
    for (const good of ['a@b.de', 'a+b@c-d.co.uk', 'ü@x.de']) expect(isEmail(good)).toBe(true);
    for (const bad of [
      'a@b',
      'a b@c.de',
      'a@@b.de',
      'a@b..de',
      'a@.de',
      'a@b.',
      '@b.de',
      'a\n@b.de',
      `${'x'.repeat(250)}@b.de`,
    ])
      expect(isEmail(bad)).toBe(false);
  });
});
