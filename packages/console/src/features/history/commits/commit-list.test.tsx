import { FixpointError } from '@fixpoint/protocol';
import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import type { CommitEvent, Database } from 'fixpoint';
import { describe, expect, test, vi } from 'vitest';
import { freshLocal, withEngine } from '../../../engine/engine-here.fixture.ts';
import { drawPages, withPages } from '../../../ui/pages.fixture.tsx';
import { withSizes } from '../../../ui/sizes.fixture.ts';
import type { People } from '../../../values/who-wrote.ts';
import { CommitList } from './commit-list.tsx';
import { PAGE } from './commit-pages.ts';

withPages();
withEngine();
withSizes();

const draw = (database: Database, toSend?: number, path = '/', people?: People) =>
  drawPages(
    [
      {
        path: '/',
        element: (
          <CommitList {...{ database, toSend }} {...(people && { people })} allPath="/all" docsPath="/docs" />
        ),
      },
    ],
    path,
  );

const lines = () => screen.getAllByRole('listitem').filter((one) => one.hasAttribute('aria-posinset'));
const line = (text: RegExp | string) => screen.findByRole('button', { name: text });
const summaries = () => lines().map((one) => one.querySelector('button > span:nth-child(3)')?.textContent);
const authors = () => lines().map((one) => one.querySelector('button > span:nth-child(2)')?.textContent);
const days = () => screen.getAllByRole('heading', { level: 2 }).map(({ textContent }) => textContent);
const open = async (text: RegExp | string) => {
  const found = await line(text);
  await act(async () => void fireEvent.click(found));
  return found;
};

/** Returns a database of these events, without changed documents unless the test sets `diff`. */
function databaseOf(events: readonly Partial<CommitEvent>[], more: Partial<Database> = {}): Database {
  const rows = events.map(
    (event, at): CommitEvent => ({
      event: `event-${at}`,
      parents: [`event-${at + 1}`],
      ids: ['milk'],
      documents: 1,
      deletedIds: [],
      deletions: 0,
      state: 'sent',
      ...event,
    }),
  );
  return {
    head: async () => ['event-0'],
    events: async () => rows,
    subscribe: () => () => undefined,
    device: async () => 'own',
    diff: async () => [],
    ...more,
  } as unknown as Database;
}

/** The day on which the tests write. */
const TODAY = new Date().toLocaleDateString(undefined, { day: 'numeric', month: 'short' });

describe('the list of commits', () => {
  test('lists the commits newest first, and marks only the current version', async () => {
    const database = await freshLocal([{ _id: 'milk' }]);
    await database.put({ _id: 'rice' });
    await database.del('milk');
    await draw(database);
    expect(await screen.findByText(`4 changes since ${TODAY}`)).toBeDefined();
    expect(summaries()).toEqual(['Deleted milk', 'Wrote rice', 'Wrote milk', 'Database created']);
    expect(lines().map((one) => within(one).queryByText('Now') !== null)).toEqual([
      true,
      false,
      false,
      false,
    ]);
  });

  test('names the author of each commit, as far as it is known', async () => {
    const time = Date.now();
    const device = '0123456789abcdef';
    const received = { atMs: time, account: 'u1' };
    const events = [{ time, device: 'own' }, { time, device }, { time, device, received }, { received }];
    await draw(
      databaseOf(events),
      undefined,
      '/',
      new Map([['u1', { name: 'Ada', email: 'ada@example.com' }]]),
    );
    await waitFor(() => expect(authors()[0]).toBe('This device'));
    expect(authors()).toEqual(['This device', 'A device of Ada', 'Ada', 'Ada']);
  });

  test('groups the commits by day, and shows the time of each', async () => {
    const time = new Date();
    time.setHours(0, 0, 5);
    const yesterday = new Date(time.getTime() - 60_000);
    await draw(
      databaseOf([
        { time: time.getTime(), documents: 20 },
        { time: time.getTime() },
        { time: yesterday.getTime() },
        {},
      ]),
    );
    await screen.findByText('Today');
    expect(
      days().map((text) => text?.replace(/^(Today|Yesterday).*\d{1,2}(?=\d+ change|1 change)/, '$1 ')),
    ).toEqual([
      expect.stringMatching(/^Today.*2 changes, 21 documents$/),
      expect.stringMatching(/^Yesterday.*1 change, 1 document$/),
      'Without a date1 change, 1 document',
    ]);
    expect(lines().map((one) => one.querySelector('time')?.dateTime)).toEqual([
      time.toISOString(),
      time.toISOString(),
      yesterday.toISOString(),
    ]);
  });

  test('shows the first changed field with its values', async () => {
    const database = await freshLocal([{ _id: 'milk', litres: 1, from: 'x' }]);
    await database.put({ _id: 'milk', litres: 2 });
    await draw(database);
    await waitFor(() => expect(summaries()[0]).toBe('litres12 and 1 more'));
    const [first] = lines();
    expect(first?.querySelector('del')?.textContent).toBe('1');
    expect(first?.querySelector('ins')?.textContent).toBe('2');
    expect(
      within(first as HTMLElement).getByRole('button', { name: /litres 1 is now 2 and 1 more milk/ }),
    ).toBeDefined();
  });

  test('shows only the commits of the chosen author, and keeps the choice in the address', async () => {
    const events = [
      { device: 'own' },
      { device: 'bbbbbbbbbbbb', ids: ['tea'] },
      { device: 'own', ids: ['rice'] },
    ];
    const { path } = await draw(databaseOf(events));
    const select = await screen.findByRole('combobox', { name: 'Author' });
    await act(async () => void fireEvent.change(select, { target: { value: 'bbbbbbbbbbbb' } }));
    expect(summaries()).toEqual(['Wrote tea']);
    expect(path()).toBe('/?who=bbbbbbbbbbbb');
    expect(screen.getByText('1 change, newest first')).toBeDefined();
    await act(async () => void fireEvent.change(select, { target: { value: '' } }));
    expect([summaries().length, path()]).toEqual([3, '/']);
  });

  test('shows only the commits of a document, even of those that name few of their documents', async () => {
    const docs = Array.from({ length: 30 }, (_, at) => ({ _id: `doc${at}` }));
    const database = await freshLocal(docs);
    await database.put({ _id: 'milk' });
    await draw(database, undefined, '/?document=doc29');
    expect(await screen.findByText('1 change, newest first')).toBeDefined();
    expect(summaries()).toEqual(['Wrote doc0, doc1, doc2 and 27 more']);
  });

  test('shows only the commits that changed a field, and counts those it can’t search', async () => {
    const database = await freshLocal([{ _id: 'milk', litres: 1 }]);
    await database.put({ _id: 'milk', litres: 2, toString: 'x' });
    await database.put({ _id: 'milk', litres: 3, toString: 'x' });
    const events = await database.events();
    vi.spyOn(database, 'events').mockResolvedValue(
      events.map((one, at) => (at === 0 ? { ...one, documents: 5000 } : one)),
    );
    await draw(database, undefined, '/?changed=toString');
    await waitFor(() =>
      expect(screen.getByRole('status').textContent).toBe(
        '1 change, newest first. 1 change not searched, because too many documents changed',
      ),
    );
    expect(summaries()).toEqual(['litres12 and 1 more']);
  });

  test('offers no choice of an author if there is only one', async () => {
    await draw(databaseOf([{ device: 'own' }, { device: 'own' }]));
    await screen.findByText('2 changes');
    expect(screen.queryByRole('combobox')).toBe(null);
  });

  test('opens the commit that the address names', async () => {
    await draw(databaseOf([{}, {}]), undefined, '/?event=event-1');
    await screen.findByText('This commit changed no documents.');
    expect(lines().map((one) => one.querySelector('button')?.getAttribute('aria-expanded'))).toEqual([
      'false',
      'true',
    ]);
  });

  test('loads older commits until the one that the address names is there', async () => {
    const [first = [], second = []] = [PAGE, 1].map((length, page) =>
      Array.from({ length }, (_, at) => ({ event: `page-${page}-${at}`, parents: [], ids: ['milk'] })),
    );
    const events = async ({ after }: { after?: string } = {}) =>
      ((await databaseOf(after === undefined ? first : second).events()) ?? []) as CommitEvent[];
    await draw(databaseOf([], { events }), undefined, '/?event=page-1-0');
    const panel = await screen.findByRole('complementary', { name: 'Change' });
    expect(within(panel).getByText('page-1-0')).toBeDefined();
  });

  test('says in the details which commits are signed, and marks those that somebody changed after that', async () => {
    const time = Date.now() - 180_000;
    const signed = ['valid', 'bad', 'unchecked'] as const;
    await draw(databaseOf(signed.map((signature) => ({ time, device: 'own', signature }))));
    await screen.findAllByText('This device');
    expect(lines().map((one) => within(one).queryByText('Changed after signing') !== null)).toEqual([
      false,
      true,
      false,
    ]);
    const told: unknown[] = [];
    for (const one of lines()) {
      await act(async () => one.querySelector('button')?.click());
      told.push((await screen.findByText('3 minutes ago')).parentElement?.textContent);
    }
    expect(told).toEqual([
      '3 minutes ago · this device · signed',
      '3 minutes ago · this device · changed after it was signed',
      '3 minutes ago · this device',
    ]);
  });

  test('says when and from which account the gateway received commits without an author', async () => {
    const atMs = Date.now() - 180_000;
    await draw(databaseOf([{ received: { atMs, account: 'u1' } }]), undefined, '/?event=event-0');
    expect((await screen.findByText('3 minutes ago')).parentElement?.textContent).toBe(
      'unsigned, received by the gateway 3 minutes ago from account u1',
    );
  });

  test('shows the digits of this device while its id is unknown', async () => {
    const events = [{ time: Date.now(), device: 'abcdefabcdef' }];
    await draw(databaseOf(events, { device: () => Promise.reject(new FixpointError('STORE_FULL')) }));
    expect(await screen.findByText('Device abcdef')).toBeDefined();
  });

  test('says that a database without commits has no changes, and leads only to the first document', async () => {
    await draw(databaseOf([], { head: async () => [] }));
    expect(await screen.findByText('This database has no changes yet.')).toBeDefined();
    expect(screen.getAllByRole('link').map((one) => one.textContent?.trim())).toEqual(['New Document']);
  });

  test('shows why the commits can’t be read', async () => {
    await draw(databaseOf([], { events: () => Promise.reject(new FixpointError('DATABASE_CLOSED')) }));
    expect((await screen.findByRole('alert')).textContent).toMatch(/Reload the page/);
  });

  test('adds a commit written while the list is shown', async () => {
    const database = await freshLocal([{ _id: 'milk' }]);
    await draw(database);
    await line(/Wrote milk/);
    await database.put({ _id: 'tea' });
    await line(/Wrote tea/);
    expect(screen.getByText(`3 changes since ${TODAY}`)).toBeDefined();
    expect(within(lines()[0] as HTMLElement).getByText('Now')).toBeDefined();
    expect(screen.getAllByText('Now')).toHaveLength(1);
  });

  test('tells screen readers the position of each commit, and the number of commits', async () => {
    await draw(await freshLocal([{ _id: 'milk' }]));
    await line(/Wrote milk/);
    expect(lines().map((one) => one.getAttribute('aria-posinset'))).toEqual(['1', '2']);
    expect(lines().map((one) => one.getAttribute('aria-setsize'))).toEqual(['2', '2']);
  });

  test('escapes invisible characters in the ids of documents', async () => {
    await draw(databaseOf([{ ids: ['a\u202eb'] }]));
    expect(await line(/Wrote "a\\u202eb"/)).toBeDefined();
  });

  test.each([
    ['shows "Not sent" at an unsent commit of a synced database', 2, true],
    ['shows no "Not sent" in a database without a ledger', undefined, false],
  ])('%s', async (_name, toSend, isMarked) => {
    await draw(databaseOf([{ state: 'local' }]), toSend);
    await line(/Wrote milk/);
    expect(screen.queryByText('Not sent') !== null).toBe(isMarked);
  });

  test('marks a commit with two parents as a merge', async () => {
    await draw(databaseOf([{ parents: ['event-1', 'event-2'] }, { parents: [] }, { parents: [] }]));
    await screen.findAllByText('Merge');
    expect(lines().map((one) => within(one).queryByText('Merge') !== null)).toEqual([true, false, false]);
  });
});

describe('one commit of the list', () => {
  test('opens, and shows the documents that it changed, before and after', async () => {
    const database = await freshLocal([{ _id: 'milk', litres: 1 }]);
    await database.put({ _id: 'milk', litres: 2 });
    await draw(database);
    const [newest] = await screen.findAllByRole('button', { name: /milk/ });
    expect(newest?.getAttribute('aria-expanded')).toBe('false');
    await act(async () => newest?.click());
    const changed = await screen.findByRole('list', { name: 'Changed documents' });
    expect(changed.textContent).toBe('milklitres12');
    expect(changed.querySelector('del')?.textContent).toBe('1');
    expect(changed.querySelector('ins')?.textContent).toBe('2');
    expect(within(changed).getByRole('link', { name: 'milk' }).getAttribute('href')).toBe('/docs/milk');
    expect(newest?.getAttribute('aria-expanded')).toBe('true');
  });

  test('says when it was written and when it arrived, and marks a clock that was ahead', async () => {
    const atMs = Date.UTC(2026, 10, 30, 9, 0, 0);
    const events = [
      { time: atMs + 3 * 3_600_000, device: 'abcdef123', received: { atMs, account: 'u1' } },
      { time: atMs, device: 'abcdef123', received: { atMs: atMs + 1000, account: 'u1' }, signature: 'valid' },
    ] as const;
    const people = new Map([['u1', { name: 'Ada', email: 'ada@example.com' }]]);
    await draw(databaseOf(events), undefined, '/?event=event-0', people);
    const change = within(await screen.findByRole('complementary', { name: 'Change' }));
    const facts = () => change.getAllByRole('definition').map(({ textContent }) => textContent);
    expect(change.getByRole('heading', { name: 'Ada changed 1 document' })).toBeDefined();
    expect(facts()).toEqual([
      expect.stringMatching(/on device abcdef Clock 3 h ahead$/),
      expect.stringMatching(/from ada@example\.com$/),
      'event-0',
    ]);
    expect(screen.getAllByText('Clock 3 h ahead')).toHaveLength(2);
    await act(async () => lines()[1]?.querySelector('button')?.click());
    const next = within(await screen.findByRole('complementary', { name: 'Change' }));
    expect(next.getAllByRole('definition')[2]?.textContent).toBe('by the device');
    await act(async () => next.getByRole('button', { name: 'Close the change' }).click());
    expect(screen.queryByRole('complementary')).toBe(null);
  });

  test('says from which account it arrived, if the address of the author is unknown', async () => {
    const received = { atMs: Date.UTC(2026, 10, 30), account: 'u1-long-id' };
    const people = new Map([['u1-long-id', { name: 'Ada', email: undefined }]]);
    await draw(databaseOf([{ received }]), undefined, '/?event=event-0', people);
    const change = within(await screen.findByRole('complementary', { name: 'Change' }));
    const [arrived] = change.getAllByRole('definition');
    expect(arrived?.textContent).toMatch(/from Ada, account u1-long-id$/);
    expect(change.getByRole('heading', { name: /^Ada/ }).title).toBe('Account u1-lon');
  });

  test('leads the focus to the details', async () => {
    await draw(databaseOf([{}, {}]), undefined, '/?event=event-1');
    await act(async () => void (await screen.findByRole('button', { name: 'Go to the details' })).click());
    expect(document.activeElement).toBe(screen.getByRole('complementary', { name: 'Change' }));
  });

  test('opens as a sheet where there is no room, but not when only the slider moved', async () => {
    const media = { addEventListener: () => undefined, removeEventListener: () => undefined };
    vi.stubGlobal('matchMedia', (query: string) => ({ ...media, matches: query.includes('<') }));
    const { go } = await draw(databaseOf([{}, { ids: ['rice'] }]));
    await line(/Wrote rice/);
    await go('/?event=event-1');
    expect(screen.queryByRole('dialog')).toBe(null);
    await open(/Wrote rice/);
    expect((await screen.findByRole('dialog', { name: 'Change' })).textContent).toContain('event-1');
    await act(async () => screen.getByRole('button', { name: 'Close' }).click());
    await waitFor(() => expect(screen.queryByRole('dialog')).toBe(null));
    vi.unstubAllGlobals();
  });

  test('closes when it is chosen again, and when another commit is opened', async () => {
    const database = await freshLocal([{ _id: 'milk' }]);
    await database.put({ _id: 'rice' });
    await draw(database);
    const states = () => lines().map((one) => one.querySelector('button')?.getAttribute('aria-expanded'));
    await open(/Wrote rice/);
    expect(states()).toEqual(['true', 'false', 'false']);
    await open(/Wrote milk/);
    expect(states()).toEqual(['false', 'true', 'false']);
    await open(/Wrote milk/);
    expect(states()).toEqual(['false', 'false', 'false']);
  });

  test('links to the version of all documents after this commit', async () => {
    const database = await freshLocal([{ _id: 'milk' }]);
    const [event] = await database.head();
    await database.put({ _id: 'rice' });
    await draw(database);
    await open(/Wrote milk/);
    const link = screen.getByRole('link', { name: 'Browse this version' });
    expect(link.getAttribute('href')).toBe(`/all?at=${event}`);
  });

  test('compares the first commit with an empty database', async () => {
    const diff = vi.fn(async () => []);
    await draw(databaseOf([{ parents: [] }], { diff: diff as never }));
    await open(/Wrote milk/);
    expect(await screen.findByText('This commit changed no documents.')).toBeDefined();
    expect(diff).toHaveBeenCalledWith([], ['event-0']);
  });

  test('explains that compaction removed the version before it', async () => {
    const diff = () => Promise.reject(new FixpointError('HISTORY_COMPACTED'));
    await draw(databaseOf([{}], { diff }));
    await open(/Wrote milk/);
    expect(await screen.findByText(/Compaction removed the previous version on this device/)).toBeDefined();
    expect(screen.queryByRole('alert')).toBe(null);
  });

  test('shows why its changes can’t be read', async () => {
    await draw(databaseOf([{}], { diff: () => Promise.reject(new FixpointError('CORRUPT', 'block 7')) }));
    await open(/Wrote milk/);
    expect((await screen.findByRole('alert')).textContent).toMatch(/block 7.*Stored data is damaged/s);
  });

  test('shows the changes of a large commit in parts', async () => {
    const changes = Array.from({ length: 45 }, (_, n) => ({ id: `d${n}`, after: { _id: `d${n}` } }));
    await draw(databaseOf([{ documents: 45 }], { diff: (async () => changes) as never }));
    await open(/Wrote milk/);
    const count = () =>
      within(screen.getByRole('list', { name: 'Changed documents' })).getAllByRole('heading').length;
    const more = (name: string) => screen.findByRole('button', { name });
    const first = await more('Show more, 25 left');
    expect(count()).toBe(20);
    await act(async () => first.click());
    const second = await more('Show more, 5 left');
    await act(async () => second.click());
    await waitFor(() => expect(count()).toBe(45));
    expect(screen.queryByRole('button', { name: /Show more/ })).toBe(null);
  });
});

describe('a compacted history', () => {
  const COMPACTED: readonly Partial<CommitEvent>[] = [
    {},
    { isDropped: true, ids: ['rice'] },
    { isHorizon: true, documents: 12 },
    { ids: ['hidden'] },
  ];

  test('ends at the oldest kept commit, and says that other devices may have more', async () => {
    await draw(databaseOf(COMPACTED));
    expect(await line(/Snapshot of 12 documents/)).toBeDefined();
    expect(screen.queryByText(/hidden/)).toBe(null);
    expect(screen.getByText(/Other devices may still have older commits/)).toBeDefined();
    expect(lines().map((one) => within(one).queryByText(/^(Compacted|Oldest kept)$/)?.textContent)).toEqual([
      undefined,
      'Compacted',
      'Oldest kept',
    ]);
  });

  test('offers no link to the version of a compacted commit', async () => {
    await draw(databaseOf(COMPACTED));
    await open(/Wrote rice/);
    expect(screen.getByText(/compaction removed their old content from this device/)).toBeDefined();
    expect(screen.queryByRole('link', { name: 'Browse this version' })).toBe(null);
  });

  test('offers a link to the version of the oldest kept commit, but doesn’t show its changes', async () => {
    await draw(databaseOf(COMPACTED));
    await open(/Snapshot/);
    expect(screen.getByText(/their changes can’t be shown here/)).toBeDefined();
    expect(screen.getByRole('link', { name: 'Browse this version' })).toBeDefined();
  });

  test('says nothing about compaction while all commits are kept', async () => {
    await draw(databaseOf([{}, {}]));
    await screen.findAllByText('Wrote milk');
    expect(screen.queryByText(/Compaction/)).toBe(null);
  });
});
