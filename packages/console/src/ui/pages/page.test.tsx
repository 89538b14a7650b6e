import { screen, within } from '@testing-library/react';
import { describe, expect, test } from 'vitest';
import { drawPages, withPages } from '../pages.fixture.tsx';
import { EmptyState, ErrorPanel, NotFound, Skeleton } from './feedback.tsx';
import { Breadcrumb, Card, PageHeader } from './page.tsx';

withPages();

const MARKUP = '<img src=x onerror="alert(1)">';
const draw = (element: React.ReactNode) => drawPages([{ path: '/', element }], '/');

describe('the path to a page', () => {
  test('links every level except the page itself, and marks the page as current', async () => {
    await draw(
      <Breadcrumb
        crumbs={[
          { text: 'Local databases', to: '/fp/databases' },
          { text: 'pantry', to: '/fp/databases/pantry', isName: true },
          { text: 'History' },
        ]}
      />,
    );
    const path = screen.getByRole('navigation', { name: 'Breadcrumb' });
    expect(
      within(path)
        .getAllByRole('link')
        .map((one) => [one.textContent, one.getAttribute('href')]),
    ).toEqual([
      ['Local databases', '/fp/databases'],
      ['pantry', '/fp/databases/pantry'],
    ]);
    expect(screen.getByText('History').getAttribute('aria-current')).toBe('page');
  });

  test('shows the full text of a long name in a tooltip', async () => {
    const name = 'n'.repeat(300);
    await draw(<Breadcrumb crumbs={[{ text: name, isName: true }]} />);
    expect(screen.getByTitle(name).textContent).toBe(name);
  });
});

describe('the content of a page', () => {
  test('is never treated as markup, even if a name contains markup', async () => {
    await draw(
      <>
        <PageHeader title={MARKUP} lead={MARKUP} />
        <Card title={MARKUP} />
        <ErrorPanel message={MARKUP} />
        <EmptyState text={MARKUP} />
        <NotFound text={MARKUP} isPage={false} />
      </>,
    );
    expect(document.querySelector('img')).toBe(null);
    expect(screen.getAllByText(MARKUP)).toHaveLength(6);
  });

  test('has exactly one page heading, even if the page has no content', async () => {
    await draw(
      <>
        <PageHeader title="Query" />
        <NotFound isPage={false} />
      </>,
    );
    expect(screen.getAllByRole('heading', { level: 1 }).map((one) => one.textContent)).toEqual(['Query']);
    expect(screen.getByRole('heading', { level: 2, name: 'Not found' })).toBeDefined();
  });

  test('is announced by screen readers: errors at once, and loading as a status', async () => {
    await draw(
      <>
        <ErrorPanel message="broken">
          <a href="/">Back</a>
        </ErrorPanel>
        <Skeleton text="Comparing..." note="This is a large database." shape="rows" />
      </>,
    );
    expect(screen.getByRole('alert').textContent).toBe('Error: brokenBack');
    expect(screen.getByRole('status').textContent).toBe('Comparing...This is a large database.');
  });
});
