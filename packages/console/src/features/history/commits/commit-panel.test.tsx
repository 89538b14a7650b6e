import { act, screen, within } from '@testing-library/react';
import type { CommitEvent, Database } from 'fixpoint';
import { describe, expect, test, vi } from 'vitest';
import { drawPages, withPages } from '../../../ui/pages.fixture.tsx';
import { type People, withDeviceNames } from '../../../values/who-wrote.ts';
import { ClockBadge, CommitAside, CommitSheet } from './commit-panel.tsx';

withPages();

const COMMIT: CommitEvent = {
  event: 'event-hsbvpt6o',
  parents: ['before'],
  ids: ['milk'],
  documents: 1,
  deletedIds: [],
  deletions: 0,
  state: 'sent',
};
const AT = Date.UTC(2026, 10, 23, 14, 29, 8);
const PEOPLE: People = new Map([['u1', { name: 'Ada Lovelace', email: 'ada@example.com' }]]);

interface Given {
  readonly commit?: Partial<CommitEvent>;
  readonly people?: People;
  readonly canWrite?: boolean;
  readonly isSheet?: boolean;
  readonly database?: Partial<Database>;
}

async function draw({ commit, people = PEOPLE, canWrite = true, isSheet = false, database }: Given = {}) {
  const onClose = vi.fn();
  const props = {
    database: { diff: async () => [], head: async () => [], ...database } as unknown as Database,
    commit: { ...COMMIT, ...commit },
    allPath: '/all',
    docsPath: '/docs',
    own: 'own',
    people,
    canWrite,
    onClose,
  };
  const element = isSheet ? <CommitSheet {...props} /> : <CommitAside {...props} id="panel" panel={null} />;
  await drawPages([{ path: '/', element }], '/');
  return { onClose };
}

const title = () => screen.getByRole('heading', { level: 2 }).textContent;
const facts = () =>
  screen
    .getAllByRole('term')
    .map(({ textContent, nextElementSibling }) => [textContent, nextElementSibling?.textContent]);
const link = () => screen.queryByRole('link', { name: 'Browse this version' })?.getAttribute('href');

describe('the title of a change', () => {
  const by = { device: 'abcdef999', time: AT, received: { atMs: AT, account: 'u1' } };

  test.each<[string, Partial<CommitEvent>, string]>([
    ['one document', by, 'Ada Lovelace changed 1 document'],
    ['many documents', { ...by, documents: 12_345 }, 'Ada Lovelace changed 12,345 documents'],
    ['only deletions', { ...by, documents: 2, deletions: 2 }, 'Ada Lovelace deleted 2 documents'],
    ['some deletions', { ...by, documents: 2, deletions: 1 }, 'Ada Lovelace changed 2 documents'],
    ['a merge', { ...by, documents: 0 }, 'Ada Lovelace merged'],
    ['the first event', { ...by, documents: 0, parents: [] }, 'Ada Lovelace created the database'],
    ['a snapshot', { ...by, isHorizon: true }, 'Ada Lovelace kept a snapshot'],
    ['another account', { received: { atMs: AT, account: 'u2' } }, 'Account u2 changed 1 document'],
    ['this device', { device: 'own', time: AT }, 'This device changed 1 document'],
    ['an unknown device', { device: 'abcdef999', time: AT }, 'Device abcdef changed 1 document'],
    ['an event of an existing client', {}, 'Unknown author changed 1 document'],
  ])('names the author, and what they did: %s', async (_what, commit, expected) => {
    await draw({ commit });
    expect(title()).toBe(expected);
  });
});

describe('the facts of a change', () => {
  test('says when it was written and when it arrived, from whom, and its version', async () => {
    await draw({
      commit: { device: 'abcdef999', time: AT, received: { atMs: AT + 1000, account: 'u1' } },
    });
    expect(facts()).toEqual([
      ['Written', expect.stringMatching(/:29:08.*on device abcdef$/)],
      ['Arrived', expect.stringMatching(/:29:09.*from ada@example\.com$/)],
      ['Version', 'hsbvpt6o'],
    ]);
  });

  test('shows only those of the gateway for an existing client', async () => {
    await draw({ commit: { received: { atMs: AT, account: 'u7' } } });
    expect(facts()).toEqual([
      ['Arrived', expect.stringMatching(/from account u7$/)],
      ['Version', 'hsbvpt6o'],
    ]);
  });

  test('shows only those of the device for a change that wasn’t sent', async () => {
    await draw({ commit: { device: 'own', time: AT, state: 'local' } });
    expect(facts()).toEqual([
      ['Written', expect.stringMatching(/on this device$/)],
      ['Version', 'hsbvpt6o'],
    ]);
  });

  test.each<[string, Partial<CommitEvent>, string | undefined]>([
    ['a member', { signature: 'valid', author: { status: 'verified', name: 'Grace' } }, 'Grace'],
    ['a device', { signature: 'valid', device: 'x', time: AT }, 'by the device'],
    ['this device', { signature: 'valid', device: 'own', time: AT }, 'by this device'],
    ['nobody', { signature: 'unchecked', device: 'x', time: AT }, undefined],
  ])('says who signed it: %s', async (_what, commit, signer) => {
    await draw({ commit });
    expect(facts().find(([name]) => name === 'Signed')?.[1]).toBe(signer);
  });

  test('marks a clock that was ahead', async () => {
    await draw({ commit: { device: 'x', time: AT + 600_000, received: { atMs: AT } } });
    expect(screen.getByText('Clock 10 min ahead').title).toMatch(/^The clock of the device was ahead/);
  });
});

test.each([
  [6 * 60_000, 'Clock 6 min ahead'],
  [59 * 60_000, 'Clock 59 min ahead'],
  [3 * 3_600_000, 'Clock 3 h ahead'],
  [47 * 3_600_000, 'Clock 47 h ahead'],
  [72 * 3_600_000, 'Clock 3 days ahead'],
  [3000 * 86_400_000, 'Clock 3,000 days ahead'],
])('says how far a clock was ahead: %d ms', async (ahead, text) => {
  await drawPages([{ path: '/', element: <ClockBadge ahead={ahead} /> }], '/');
  expect(screen.getByText(text)).toBeDefined();
});

describe('the actions of a change', () => {
  test('links to the version, restores it and copies a link', async () => {
    await draw();
    expect(link()).toBe('/all?at=event-hsbvpt6o');
    expect(screen.getByRole('button', { name: 'Restore...' })).toBeDefined();
    expect(screen.getByRole('button', { name: 'Copy link' })).toBeDefined();
  });

  test('shows how many documents a restore would change, before it', async () => {
    await draw();
    await act(async () => screen.getByRole('button', { name: 'Restore...' }).click());
    const dialog = await screen.findByRole('dialog', { name: 'Restore all documents' });
    expect(await within(dialog).findByText('Nothing has changed since this version.')).toBeDefined();
  });

  test('hides the restore where nobody can write', async () => {
    await draw({ canWrite: false });
    expect(screen.queryByRole('button', { name: 'Restore...' })).toBe(null);
    expect(link()).toBeDefined();
  });

  test('hides both for a version whose content was removed', async () => {
    await draw({ commit: { isDropped: true } });
    expect([link(), screen.queryByRole('button', { name: 'Restore...' })]).toEqual([undefined, null]);
    expect(screen.getByText(/compaction removed their old content/)).toBeDefined();
  });

  test('closes the panel', async () => {
    const { onClose } = await draw();
    await act(async () => screen.getByRole('button', { name: 'Close the change' }).click());
    expect(onClose).toHaveBeenCalledTimes(1);
  });

  test('closes the sheet', async () => {
    const { onClose } = await draw({ isSheet: true });
    expect(await screen.findByRole('dialog', { name: 'Change' })).toBeDefined();
    await act(async () => screen.getByRole('button', { name: 'Close' }).click());
    expect(onClose).toHaveBeenCalledTimes(1);
  });
});

describe('a change on a device to which the user gave a name', () => {
  const people = withDeviceNames(
    PEOPLE,
    new Map([
      ['own', 'Work laptop'],
      ['abcdef999', 'Phone'],
    ]),
  );
  const received = { atMs: AT, account: 'u1' };

  test.each([
    ['abcdef999', 'on Phone', 'by Phone'],
    ['own', 'on Work laptop', 'by Work laptop'],
    ['another', 'on device anothe', 'by the device'],
  ])('names the device %s', async (device, written, signed) => {
    await draw({ people, commit: { device, time: AT, received, signature: 'valid' } });
    const shown = Object.fromEntries(facts()) as Record<string, string>;
    expect(shown['Written']).toMatch(new RegExp(`${written}$`));
    expect(shown['Signed']).toBe(signed);
    const [, where] = screen.getByText(/ · /).textContent?.split(' · ') ?? [];
    const expected = device === 'another' ? 'a device of Ada Lovelace' : written.replace('on ', '');
    expect(where).toBe(expected);
  });

  test('is titled by the name until the gateway has received it', async () => {
    await draw({ people, commit: { device: 'abcdef999', time: AT } });
    expect(title()).toBe('Phone changed 1 document');
  });
});
