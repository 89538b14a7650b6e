import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { signedIn } from '../../cloud/app.fixture.ts';
import { press } from '../../cloud/part.fixture.tsx';
import { useCall } from '../../cloud/queries/use-call.ts';
import { PageHeader } from '../../ui/pages/page.tsx';
import { InSlot } from '../../ui/pages/page-slots.tsx';
import { drawPages, pageCalled, waiting, withPages } from '../../ui/pages.fixture.tsx';
import { AppLayout } from './app-layout.tsx';

withPages();

let isOnline = true;
beforeEach(() => {
  isOnline = true;
  vi.spyOn(navigator, 'onLine', 'get').mockImplementation(() => isOnline);
});
afterEach(() => {
  vi.restoreAllMocks();
  delete document.documentElement.dataset['mounted'];
});

/** Renders the layout around pages. `/slow` loads until the test resolves `loaded`. */
async function layout(at = '/fp/cloud') {
  const loaded = waiting<null>();
  const answer = waiting<{ ok: true; value: undefined }>();
  function Caller() {
    const call = useCall({ call: () => answer.promise, changes: [] });
    return (
      <button type="button" onClick={() => call.mutate(undefined)}>
        Save
      </button>
    );
  }
  const Layout = () => (
    <AppLayout sidebar={<a href="/fp/databases/notes">Notes</a>} place={<span>Engines</span>}>
      <Caller />
    </AppLayout>
  );
  const pages = await drawPages(
    [
      {
        Component: Layout,
        children: [
          { path: '/slow', loader: () => loaded.promise, Component: pageCalled('Slow') },
          { path: '*', Component: pageCalled('Page') },
        ],
      },
    ],
    at,
    signedIn(),
  );
  return { ...pages, loaded, answer };
}
describe('the header', () => {
  test('starts with a link that skips to the content', async () => {
    await layout();
    const [first] = screen.getAllByRole('link');
    expect(first?.textContent).toBe('Skip to content');
    expect(document.querySelector(first?.getAttribute('href') ?? '')).toBe(screen.getByRole('main'));
  });

  test('shows the place of the page, and the title line and path that the page gives it', async () => {
    const Page = () => (
      <AppLayout sidebar={null} place={<span>Engines</span>}>
        <PageHeader title="Notes" crumbs={[{ text: 'Databases', to: '/databases' }, { text: 'Notes' }]}>
          <button type="button">Rename</button>
        </PageHeader>
        <InSlot name="actions">
          <button type="button">Save</button>
        </InSlot>
      </AppLayout>
    );
    await drawPages([{ path: '/', Component: Page }], '/', signedIn());
    const banner = screen.getAllByRole('banner')[0] as HTMLElement;
    expect(banner.textContent).toContain('Engines');
    expect(within(banner).getByRole('navigation', { name: 'Breadcrumb' }).textContent).toBe(
      'Databases/Notes',
    );
    const main = screen.getByRole('main');
    expect(main.querySelector('h1')?.textContent).toBe('Notes');
    expect(
      within(main)
        .getAllByRole('button')
        .map(({ textContent }) => textContent),
    ).toEqual(['Save', 'Rename']);
  });

  test('opens links about the product in a tab that can’t reach this one', async () => {
    await layout();
    const [about] = screen.getAllByRole('navigation', { name: 'About Fixpoint' });
    const links = [...(about?.querySelectorAll('a') ?? [])];
    expect(links.length).toBeGreaterThan(0);
    for (const link of links)
      expect([link.target, link.getAttribute('rel')]).toEqual(['_blank', 'noreferrer']);
  });
});

describe('the sidebar on a small screen', () => {
  const menu = (name: string) => screen.findByRole('button', { name });
  const pressEscape = () => act(async () => void fireEvent.keyDown(document, { key: 'Escape' }));

  test('opens in front of the page, and gets the focus', async () => {
    await layout();
    expect((await menu('Open menu')).getAttribute('aria-expanded')).toBe('false');
    await press('Open menu');
    const button = await menu('Close menu');
    const sidebar = document.getElementById(button.getAttribute('aria-controls') ?? '');
    expect(button.getAttribute('aria-expanded')).toBe('true');
    expect(sidebar).toBe(document.activeElement);
    expect(sidebar?.textContent).toContain('Notes');
    expect(screen.getByRole('main').hasAttribute('inert')).toBe(true);
  });

  test('closes on Escape, and gives the focus back to its button', async () => {
    await layout();
    await press('Open menu');
    await act(async () => void fireEvent.keyDown(document, { key: 'a' }));
    await menu('Close menu');
    await pressEscape();
    expect(document.activeElement).toBe(await menu('Open menu'));
    expect(screen.getByRole('main').hasAttribute('inert')).toBe(false);
  });

  test('doesn’t move the focus on closing when the focus is outside of the sidebar', async () => {
    await layout();
    await press('Open menu');
    const elsewhere = screen.getAllByRole('link', { name: 'Fixpoint' })[0];
    elsewhere?.focus();
    await pressEscape();
    await menu('Open menu');
    expect(document.activeElement).toBe(elsewhere);
  });

  test('closes with its button, and when the page changes', async () => {
    const { go } = await layout();
    await press('Open menu');
    await press('Close menu');
    await press('Open menu');
    await go('/fp/databases');
    await menu('Open menu');
  });
});

describe('the line that shows work in progress', () => {
  const isWorking = () => screen.queryByRole('progressbar', { name: 'Working' }) !== null;

  test('appears while the next page loads', async () => {
    const { go, loaded, path } = await layout();
    expect(isWorking()).toBe(false);
    await go('/slow');
    expect([isWorking(), path()]).toEqual([true, '/fp/cloud']);
    await loaded.come(null);
    await waitFor(() => expect([isWorking(), path()]).toEqual([false, '/slow']));
  });

  test('appears while a request is pending', async () => {
    const { answer } = await layout();
    await press('Save');
    await waitFor(() => expect(isWorking()).toBe(true));
    await answer.come({ ok: true, value: undefined });
    await waitFor(() => expect(isWorking()).toBe(false));
  });
});

describe('a lost connection', () => {
  const connection = (is: boolean) =>
    act(async () => {
      isOnline = is;
      window.dispatchEvent(new Event(is ? 'online' : 'offline'));
    });
  const note = () => screen.queryByText(/You’re offline\. Local databases work as usual/);

  test('shows a note while it lasts', async () => {
    await layout();
    expect(note()).toBeNull();
    await connection(false);
    expect(note()).not.toBeNull();
    await connection(true);
    expect(note()).toBeNull();
  });

  test('shows the note on a page that opens without a connection', async () => {
    isOnline = false;
    await layout();
    expect(note()).not.toBeNull();
  });
});
