import { describe, expect, test } from 'vitest';
import { answerAt, BASE, fakeBrowser, fakeCloud, PAGE, signedInPage, USER } from './session.fixture.ts';

const HOUR_MS = 3_600_000;

describe('signing in', () => {
  test('leads to the sign-in page, takes the code from the address, and shows the person', async () => {
    const cloud = fakeCloud();
    const { session, seen, before } = await signedInPage(cloud, fakeBrowser(cloud));
    const asked = new URL(String(before.seen.left[0]));
    expect(`${asked.origin}${asked.pathname}`).toBe(`${BASE}/fp/cloud/authorize`);
    expect(Object.fromEntries(asked.searchParams)).toEqual({
      app: 'zApp',
      redirect_url: PAGE,
      challenge: expect.stringMatching(/^[\w-]{43}$/),
      state: expect.stringMatching(/^[\w-]{43}$/),
    });
    expect(session.state()).toEqual({ status: 'signed-in', user: USER });
    expect(seen.addresses.at(-1)).toBe(PAGE);
    expect(before.session.user).toEqual(USER);
  });

  test('never puts a token or the verifier into an address', async () => {
    const cloud = fakeCloud();
    const { seen, before } = await signedInPage(cloud, fakeBrowser(cloud));
    const [request] = cloud.asked;
    const { verifier, refreshToken } = request as { verifier: string; refreshToken: string };
    const addresses = [seen.addresses, before.seen.left, cloud.asked.map(({ url }) => url)].flat().join(' ');
    for (const secret of [verifier, ...refreshToken.split('.'), 'access-1'])
      expect(addresses).not.toContain(secret);
  });

  test('ignores a code that somebody else requested, and a state that was used before', async () => {
    const cloud = fakeCloud();
    const browser = fakeBrowser(cloud);
    const waiting = browser.page();
    void waiting.session.signIn();
    await expect.poll(() => waiting.seen.left.length).toBe(1);
    const foreign = answerAt(PAGE, { code: 'c'.repeat(43), state: 's'.repeat(43) });
    const { session, seen } = browser.page(foreign);
    await session.ready();
    expect(session.state()).toEqual({ status: 'signed-out' });
    expect([seen.addresses, cloud.asked]).toEqual([[foreign], []]);
    const returned = await signedInPage(cloud, browser);
    const again = browser.page(returned.seen.addresses[0]);
    await again.session.ready();
    expect(cloud.types()).toEqual(['reqBeginApplicationSession']);
  });

  test('reports why it failed', async () => {
    const cloud = fakeCloud();
    const browser = fakeBrowser(cloud);
    const begin = async () => {
      const { session, seen } = browser.page();
      void session.signIn();
      await expect.poll(() => seen.left.length).toBe(1);
      return new URL(String(seen.left[0])).searchParams.get('state');
    };
    const refused = browser.page(answerAt(PAGE, { error: 'access_denied', state: String(await begin()) }));
    await refused.session.ready();
    expect(refused.session.state()).toMatchObject({ status: 'signed-out', error: { code: 'FORBIDDEN' } });
    const expired = browser.page(answerAt(PAGE, { code: 'c'.repeat(43), state: String(await begin()) }));
    await expired.session.ready();
    expect(expired.session.state()).toMatchObject({ error: { code: 'NOT_SIGNED_IN' } });
    cloud.set('never');
    const offline = browser.page(answerAt(PAGE, { code: 'c'.repeat(43), state: String(await begin()) }));
    await offline.session.ready();
    expect(offline.session.state()).toMatchObject({ error: { code: 'FETCH' } });
  });

  test('works in a popup, which reports the outcome through the storage and closes', async () => {
    const cloud = fakeCloud();
    const browser = fakeBrowser(cloud);
    const opener = browser.page();
    await opener.session.ready();
    const signingIn = opener.session.signIn({ popup: true });
    await expect.poll(() => opener.seen.popups.length).toBe(1);
    const popup = browser.page(cloud.agree(String(opener.seen.popups[0])));
    await signingIn;
    await popup.session.ready();
    expect([opener.session.user, popup.seen.isClosed, opener.seen.left]).toEqual([USER, true, []]);
    const refused = opener.session.signIn({ popup: true });
    await expect.poll(() => opener.seen.popups.length).toBe(2);
    const state = new URL(String(opener.seen.popups[1])).searchParams.get('state');
    browser.page(answerAt(PAGE, { error: 'access_denied', state: String(state) }));
    await expect(refused).rejects.toMatchObject({ code: 'FORBIDDEN' });
  });

  test('leaves parameters of the application alone', async () => {
    const cloud = fakeCloud();
    const browser = fakeBrowser(cloud);
    const { session, seen } = browser.page();
    void session.signIn();
    await expect.poll(() => seen.left.length).toBe(1);
    const state = String(new URL(String(seen.left[0])).searchParams.get('state'));
    const own = `${PAGE}?code=coupon&state=open`;
    const returned = browser.page(answerAt(own, { error: 'access_denied', state }));
    await returned.session.ready();
    expect(returned.seen.addresses.at(-1)).toBe(own);
    const unrelated = browser.page(`${PAGE}?code=coupon&state=${state}`);
    await unrelated.session.ready();
    expect(unrelated.seen.addresses).toHaveLength(1);
  });

  test('says why a window failed', async () => {
    const cloud = fakeCloud();
    const browser = fakeBrowser(cloud);
    const { session, seen } = browser.page();
    const expectFailure = (signingIn: Promise<void>, reason: string, code: string) =>
      expect(signingIn).rejects.toMatchObject({ reason, code });
    browser.popups.isBlocked = true;
    await expectFailure(session.signIn({ popup: true }), 'blocked', 'FORBIDDEN');
    browser.popups.isBlocked = false;
    browser.popups.isClosed = true;
    await expectFailure(session.signIn({ popup: true }), 'closed', 'NOT_SIGNED_IN');
    browser.popups.isClosed = false;
    const first = session.signIn({ popup: true });
    await expect.poll(() => seen.popups.length).toBe(1);
    const second = session.signIn({ popup: true });
    await expectFailure(first, 'replaced', 'NOT_SIGNED_IN');
    await expect.poll(() => seen.popups.length).toBe(2);
    for (const ring of browser.clock.timers) ring();
    await expectFailure(second, 'expired', 'NOT_SIGNED_IN');
  });

  test('ends the session that it replaces, at the server', async () => {
    const cloud = fakeCloud();
    const browser = fakeBrowser(cloud);
    await signedInPage(cloud, browser);
    const [first] = cloud.asked as { refreshToken: string }[];
    const { session } = await signedInPage(cloud, browser);
    await expect.poll(() => cloud.types().at(-1)).toBe('reqEndApplicationSession');
    const { refreshToken } = cloud.asked.at(-1) as { refreshToken: string };
    expect(refreshToken.split('.')[0]).toBe(first?.refreshToken.split('.')[0]);
    expect(await session.databases()).toHaveLength(1);
  });

  test.each([
    [{ base: 'fpcloud://cloud.example', app: 'zApp' }],
    [{ base: 'nonsense', app: 'zApp' }],
    [{ base: BASE, app: '' }],
  ])('rejects the options %j', async (options) => {
    const { createSession } = await import('../entries/session.ts');
    const { createSessionIn } = await import('./create-session.ts');
    const environment = { address: () => PAGE } as never;
    expect(() => createSessionIn(environment, () => Promise.reject(new Error()), options)).toThrow(
      /base|app/,
    );
    expect(createSession(options).state().status).toBe('starting');
  });
});

describe('a session', () => {
  test('is restored from the device, also offline, and opens databases that were listed', async () => {
    const cloud = fakeCloud();
    const browser = fakeBrowser(cloud);
    const { session } = await signedInPage(cloud, browser);
    expect(await session.databases()).toMatchObject([{ ledgerId: 'zL', name: 'notes' }]);
    cloud.set('never');
    const later = browser.page();
    await later.session.ready();
    expect(later.session.user).toEqual(USER);
    const [first, second] = [await later.session.open('zL'), await later.session.open('zL')];
    expect([first === second, browser.engine.opened]).toEqual([true, ['zAda-zL']]);
    await expect(later.session.open('zOther')).rejects.toMatchObject({ code: 'FETCH' });
    cloud.set('at once');
    await expect(later.session.open('zOther')).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  test('lists the databases that the server listed last while the device is offline', async () => {
    const cloud = fakeCloud();
    const browser = fakeBrowser(cloud);
    const { session } = await signedInPage(cloud, browser);
    cloud.set('never');
    await expect(session.databases()).rejects.toMatchObject({ code: 'FETCH' });
    cloud.set('at once');
    const listed = await session.databases();
    cloud.set('never');
    const later = browser.page();
    expect(await later.session.databases()).toEqual(listed);
    expect(listed).toHaveLength(1);
    // A wrong answer isn't a missing connection, so the device doesn't hide it behind its own list.
    cloud.set('garbled');
    await expect(later.session.databases()).rejects.toMatchObject({ code: 'UNEXPECTED_RESPONSE' });
    cloud.end();
    cloud.set('at once');
    await expect(later.session.databases()).rejects.toMatchObject({ code: 'NOT_SIGNED_IN' });
  });

  test('never opens one name for two databases', async () => {
    const cloud = fakeCloud();
    const { session } = await signedInPage(cloud, fakeBrowser(cloud));
    const [{ ledgerId } = { ledgerId: '' }] = await session.databases();
    await session.open(ledgerId, { name: 'notes' });
    await expect(session.open('another', { name: 'notes' })).rejects.toMatchObject({
      code: 'REQUEST_INVALID',
    });
  });

  test("doesn't open a database that another person used on this device", async () => {
    const cloud = fakeCloud();
    const browser = fakeBrowser(cloud);
    const { session } = await signedInPage(cloud, browser);
    await session.open('zL', { name: 'notes' });
    await session.signOut();
    cloud.become({ ...USER, userId: 'zMax' });
    const { session: later } = await signedInPage(cloud, browser);
    const refused = later.open('zL', { name: 'notes' });
    await expect(refused).rejects.toMatchObject({ code: 'CONFLICT' });
    await expect(refused).rejects.toThrow(/notes.*takeOver/);
    expect(browser.engine.opened).toEqual(['notes']);
    await later.open('zL');
    await later.open('zL', { name: 'notes', takeOver: true });
    expect(browser.engine.opened).toEqual(['notes', 'zMax-zL', 'notes']);
    await later.signOut();
    cloud.become(USER);
    const { session: again } = await signedInPage(cloud, browser);
    await expect(again.open('zL', { name: 'notes' })).rejects.toMatchObject({ code: 'CONFLICT' });
  });

  test('shows nobody the databases of another person', async () => {
    const cloud = fakeCloud();
    const browser = fakeBrowser(cloud);
    const { session } = await signedInPage(cloud, browser);
    await session.databases();
    cloud.become({ ...USER, userId: 'zMax' });
    const { session: later } = await signedInPage(cloud, browser);
    cloud.set('never');
    await expect(later.open('zL')).rejects.toMatchObject({ code: 'FETCH' });
    await expect(later.databases()).rejects.toMatchObject({ code: 'FETCH' });
  });

  test('keeps the list of databases when another page writes the session', async () => {
    const cloud = fakeCloud();
    const browser = fakeBrowser(cloud);
    const { session } = await signedInPage(cloud, browser);
    await session.databases();
    const written = [...browser.stored.entries()].filter(([, text]) => text.includes('"zL"'));
    expect(written.map(([key]) => key)).toEqual([`fixpoint databases ${BASE} zApp`]);
  });

  test('refreshes a token before it expires, once for several requests', async () => {
    const cloud = fakeCloud();
    const browser = fakeBrowser(cloud);
    const { session } = await signedInPage(cloud, browser);
    await session.open('zL', { name: 'local' });
    browser.clock.ms += HOUR_MS;
    cloud.asked.length = 0;
    const [token] = browser.engine.tokens;
    expect(await Promise.all([token?.(), session.databases()])).toMatchObject(['cloud-access-2', [{}]]);
    expect(cloud.types().filter((type) => type === 'reqRefreshApplicationSession')).toHaveLength(1);
  });

  test('sends the same two tokens again after a lost answer', async () => {
    const cloud = fakeCloud();
    const browser = fakeBrowser(cloud);
    const { session } = await signedInPage(cloud, browser);
    browser.clock.ms += HOUR_MS;
    for (const lost of ['after the work', 'after the work', 'never'] as const) {
      cloud.set(lost);
      await expect(session.databases()).rejects.toMatchObject({ code: 'FETCH' });
    }
    cloud.set('at once');
    const other = browser.page();
    expect(await other.session.databases()).toHaveLength(1);
    const pairs = cloud.asked
      .filter(({ type }) => type === 'reqRefreshApplicationSession')
      .map(({ refreshToken, next }) => `${refreshToken} ${next}`);
    expect([pairs.length, new Set(pairs).size]).toEqual([4, 1]);
  });

  test('keeps the newer token when pages refresh at the same time', async () => {
    const cloud = fakeCloud();
    const browser = fakeBrowser(cloud);
    const { session } = await signedInPage(cloud, browser);
    const other = browser.page();
    for (let n = 0; n < 3; n += 1) {
      browser.clock.ms += HOUR_MS;
      await Promise.all([session.databases(), other.session.databases()]);
    }
    expect([session.user, other.session.user]).toEqual([USER, USER]);
  });

  test('never replaces a newer token, even without locks', async () => {
    const cloud = fakeCloud();
    let release: (() => void) | undefined;
    let isSlow = false;
    const post: typeof cloud.post = async (url, body) => {
      const waits = isSlow;
      isSlow = false;
      const answer = await cloud.post(url, body);
      if (waits)
        await new Promise<void>((resolve) => {
          release = resolve;
        });
      return answer;
    };
    const browser = fakeBrowser({ post }, false);
    const { session } = await signedInPage(cloud, browser);
    const other = browser.page();
    await other.session.ready();
    browser.clock.ms += HOUR_MS;
    isSlow = true;
    const slow = session.databases();
    await expect.poll(() => release).toBeDefined();
    for (let n = 0; n < 2; n += 1) {
      await other.session.databases();
      browser.clock.ms += HOUR_MS;
    }
    release?.();
    await slow;
    await other.session.databases();
    expect([session.user, other.session.user]).toEqual([USER, USER]);
  });

  test('ends in all pages when the server has ended it, and detaches its databases', async () => {
    const cloud = fakeCloud();
    const browser = fakeBrowser(cloud);
    const { session } = await signedInPage(cloud, browser);
    const other = browser.page();
    await other.session.ready();
    let changes = 0;
    other.session.onChange(() => {
      changes += 1;
    });
    await session.open('zL');
    cloud.end();
    await expect(session.databases()).rejects.toMatchObject({ code: 'NOT_SIGNED_IN' });
    expect([session.state().status, other.session.state().status, changes]).toEqual([
      'signed-out',
      'signed-out',
      1,
    ]);
    await expect.poll(() => browser.engine.detached).toBe(1);
    await expect(session.open('zL')).rejects.toMatchObject({ code: 'NOT_SIGNED_IN' });
  });

  test.each([
    ['NOT_SIGNED_IN', 'signed-out', 'refused'],
    ['FETCH', 'signed-in', 'failing'],
    ['FETCH', 'signed-in', 'never'],
    ['UNEXPECTED_RESPONSE', 'signed-in', 'garbled'],
  ] as const)('reports %s and is %s after a refresh with the answer "%s"', async (code, status, answer) => {
    const cloud = fakeCloud();
    const browser = fakeBrowser(cloud);
    const { session } = await signedInPage(cloud, browser);
    browser.clock.ms += HOUR_MS;
    cloud.set(answer);
    await expect(session.databases()).rejects.toMatchObject({ code });
    expect(session.state().status).toBe(status);
  });

  test('tells the server later about a sign-out without a connection', async () => {
    const cloud = fakeCloud();
    const browser = fakeBrowser(cloud);
    const { session } = await signedInPage(cloud, browser);
    const [{ refreshToken } = { refreshToken: '' }] = cloud.asked as { refreshToken: string }[];
    for (const answer of ['never', 'failing'] as const) {
      cloud.set(answer);
      await session.signOut();
      expect(browser.stored.size).toBe(1);
    }
    // The token that stays on the device can end the session, but not refresh it.
    expect([...browser.stored.values()].join(' ')).not.toContain(refreshToken);
    cloud.set('at once');
    await browser.page().session.ready();
    await expect.poll(() => browser.stored.size).toBe(0);
    const families = cloud.asked.map((one) => String(one['refreshToken']).split('.')[0]);
    expect(new Set(families)).toEqual(new Set([refreshToken.split('.')[0]]));
    cloud.set('never');
    await session.signOut();
    expect(browser.stored.size).toBe(0);
  });

  test('ends on sign-out: here, in other pages and at the server; nothing secret stays', async () => {
    const cloud = fakeCloud();
    const browser = fakeBrowser(cloud);
    const { session } = await signedInPage(cloud, browser);
    const other = browser.page();
    await other.session.ready();
    await other.session.open('zL');
    await session.signOut();
    expect([session.user, other.session.user]).toEqual([undefined, undefined]);
    expect(cloud.types().at(-1)).toBe('reqEndApplicationSession');
    await expect.poll(() => browser.engine.detached).toBe(1);
    expect([...browser.stored]).toEqual([
      ['fixpoint database owners', JSON.stringify([['zAda-zL', `${BASE} zAda`]])],
    ]);
    cloud.set('never');
    await session.signOut();
  });
});
