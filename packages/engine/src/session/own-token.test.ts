import { describe, expect, test } from 'vitest';
import { personOf } from './own-token.ts';
import { BASE, fakeBrowser, fakeCloud, PAGE, USER } from './session.fixture.ts';

const HOUR_MS = 3_600_000;

/** A cloud, a browser, and an application in which somebody is signed in. */
function world() {
  const cloud = fakeCloud();
  const browser = fakeBrowser(cloud);
  const application: { token: string | undefined; isOffline: boolean; calls: number } = {
    token: undefined,
    isOffline: false,
    calls: 0,
  };
  const page = async () => {
    const opened = browser.page(PAGE, async () => {
      application.calls += 1;
      if (application.isOffline) throw new Error('offline');
      return application.token;
    });
    await opened.session.ready();
    return opened;
  };
  const become = (subject: string | undefined) => {
    application.token = subject === undefined ? undefined : cloud.tokenOf(subject);
  };
  return { cloud, browser, application, page, become };
}

describe('a session of own tokens', () => {
  test('begins when the page loads, without leaving the page', async () => {
    const { cloud, page, become } = world();
    become('bea');
    const { session, seen } = await page();
    expect(session.state()).toEqual({
      status: 'signed-in',
      user: { userId: 'zbea', email: '', name: 'bea' },
    });
    expect([cloud.types(), seen.left, seen.popups]).toEqual([['reqExchangeApplicationToken'], [], []]);
  });

  test('is restored without a request while the same person is signed in, also in other tabs', async () => {
    const { cloud, page, become } = world();
    become('bea');
    await page();
    become('bea');
    const { session } = await page();
    expect([session.user?.userId, cloud.types()]).toEqual(['zbea', ['reqExchangeApplicationToken']]);
  });

  test('begins once when several tabs load at the same time', async () => {
    const { cloud, page, become } = world();
    become('bea');
    await Promise.all([page(), page(), page()]);
    expect(cloud.types()).toEqual(['reqExchangeApplicationToken']);
  });

  test('waits for signIn while nobody is signed in to the application', async () => {
    const { page, become } = world();
    const { session } = await page();
    expect(session.state()).toEqual({ status: 'signed-out' });
    await expect(session.signIn()).rejects.toMatchObject({ code: 'NOT_SIGNED_IN' });
    become('bea');
    await session.signIn();
    expect(session.user?.userId).toBe('zbea');
  });

  test('ends when the application has another person, or nobody', async () => {
    for (const next of ['max', undefined]) {
      const { cloud, page, become } = world();
      become('bea');
      await page();
      become(next);
      const { session } = await page();
      expect(session.user?.userId).toBe(next && 'zmax');
      expect(cloud.types()).toContain('reqEndApplicationSession');
    }
  });

  test('detaches the databases of the person before, when somebody else signs in', async () => {
    const { browser, page, become } = world();
    become('bea');
    const { session } = await page();
    await session.databases();
    await session.open('zL');
    become('max');
    await session.signIn();
    expect([session.user?.userId, browser.engine.detached]).toEqual(['zmax', 1]);
  });

  test('stays open on a device without a connection', async () => {
    const { cloud, application, page, become } = world();
    become('bea');
    await page();
    application.isOffline = true;
    cloud.set('never');
    const { session } = await page();
    expect(session.state()).toMatchObject({ status: 'signed-in', user: { userId: 'zbea' } });
  });

  test('reports a token that the server rejects, and one that can’t be read', async () => {
    const { application, page } = world();
    application.token = 'made up';
    expect((await page()).session.state()).toMatchObject({
      status: 'signed-out',
      error: { code: 'NOT_SIGNED_IN' },
    });
    application.isOffline = true;
    expect((await page()).session.state()).toMatchObject({ status: 'signed-out', error: { code: 'FETCH' } });
  });

  test('is renewed with a new token when it ends, and the page keeps its databases', async () => {
    const { cloud, browser, page, become } = world();
    become('bea');
    const { session } = await page();
    await session.databases();
    await session.open('zL');
    cloud.end();
    browser.clock.ms += HOUR_MS;
    become('bea');
    const states: string[] = [];
    session.onChange(() => states.push(session.state().status));
    expect(await session.databases()).toHaveLength(1);
    expect([states, browser.engine.detached]).toEqual([[], 0]);
    expect(cloud.types().filter((type) => type === 'reqExchangeApplicationToken')).toHaveLength(2);
  });

  test('ends instead of continuing as another person', async () => {
    const { cloud, browser, page, become } = world();
    become('bea');
    const { session } = await page();
    cloud.end();
    browser.clock.ms += HOUR_MS;
    become('max');
    await expect(session.databases()).rejects.toMatchObject({ code: 'NOT_SIGNED_IN' });
    expect(session.state()).toEqual({ status: 'signed-out' });
    await session.signIn();
    expect(session.user?.userId).toBe('zmax');
  });

  test('stays open while the application can’t read its token', async () => {
    const { cloud, browser, application, page, become } = world();
    become('bea');
    const { session } = await page();
    cloud.end();
    browser.clock.ms += HOUR_MS;
    application.isOffline = true;
    await expect(session.databases()).rejects.toMatchObject({ code: 'FETCH' });
    expect(session.user?.userId).toBe('zbea');
    application.isOffline = false;
    become('bea');
    expect(await session.databases()).toHaveLength(1);
  });
});

describe('a session of own tokens in other situations', () => {
  test('changes the person while a database is opening, which needs a token first', async () => {
    const { browser, page, become } = world();
    become('bea');
    const { session } = await page();
    await session.databases();
    browser.clock.ms += HOUR_MS;
    const released: (() => void)[] = [];
    browser.attaching.with = async ({ token }) => {
      await new Promise<void>((resolve) => released.push(resolve));
      await (token as () => Promise<string>)();
    };
    const opening = session.open('zL').catch((error: { code: string }) => error.code);
    await expect.poll(() => released.length).toBe(1);
    become('max');
    const signedIn = session.signIn();
    released[0]?.();
    await signedIn;
    expect(session.user?.userId).toBe('zmax');
    await opening;
  });

  test('ends a session that began while the person signed out', async () => {
    const { cloud, page, become } = world();
    const { session } = await page();
    become('bea');
    const signingIn = session.signIn();
    await expect.poll(() => cloud.types()).toContain('reqExchangeApplicationToken');
    await Promise.all([signingIn, session.signOut()]);
    expect(session.state()).toEqual({ status: 'signed-out' });
    expect(cloud.types()).toContain('reqEndApplicationSession');
  });

  test('begins nothing when the person signs out before the request', async () => {
    const { cloud, page, become } = world();
    const { session } = await page();
    become('bea');
    await Promise.all([session.signIn(), session.signOut()]);
    expect([session.state(), cloud.types()]).toEqual([{ status: 'signed-out' }, []]);
  });

  test('reports an application that doesn’t return its token', async () => {
    const { browser } = world();
    const { session } = browser.page(PAGE, () => new Promise(() => undefined));
    await expect.poll(() => browser.clock.timers.length).toBe(1);
    browser.clock.timers[0]?.();
    await session.ready();
    expect(session.state()).toMatchObject({ status: 'signed-out', error: { code: 'FETCH' } });
  });

  test('doesn’t continue the session of somebody who signed in at the server, or of a broken token', async () => {
    const { browser, application, page } = world();
    const kept = { refreshToken: `${'f'.repeat(22)}.${'r'.repeat(43)}`, user: USER };
    browser.stored.set(`fixpoint session ${BASE} zApp`, JSON.stringify(kept));
    application.token = 'broken';
    const { session } = await page();
    expect(session.state()).toMatchObject({ status: 'signed-out', error: { code: 'NOT_SIGNED_IN' } });
  });
});

test('reads issuer and subject of a token, and nothing of other text', () => {
  const part = (text: string) => Buffer.from(text).toString('base64url');
  expect(personOf(`x.${part('{"iss":"a","sub":"Zoë 日本"}')}.x`)).toBe('["a","Zoë 日本"]');
  for (const text of [
    '',
    'x',
    'a.b.c',
    `x.${part('7')}.x`,
    `x.${part('null')}.x`,
    `x.${part('{"sub":7}')}.x`,
  ])
    expect(personOf(text), text).toBeUndefined();
});
