import { act, fireEvent, screen } from '@testing-library/react';
import { describe, expect, test } from 'vitest';
import { drawPages, pageCalled, waiting, withPages } from '../ui/pages.fixture.tsx';
import { useVisit } from './visit.ts';

withPages();

/**
 * Renders a page whose button starts work that navigates to /done when the work is saved. The test
 * decides when the page /slow loads.
 */
async function pages() {
  const stored = waiting<void>();
  const slow = waiting<void>();
  function Work() {
    const begin = useVisit();
    const work = async () => {
      const visit = begin();
      await stored.promise;
      await visit.leadTo('/done');
    };
    return (
      <button type="button" onClick={() => void work()}>
        Work
      </button>
    );
  }
  const drawn = await drawPages(
    [
      { path: '/work', Component: Work },
      { path: '/done', Component: pageCalled('Done') },
      { path: '/other', Component: pageCalled('Other') },
      { path: '/slow', Component: pageCalled('Slow'), loader: () => slow.promise.then(() => null) },
    ],
    '/work',
  );
  act(() => void fireEvent.click(screen.getByRole('button', { name: 'Work' })));
  return { ...drawn, stored, slow };
}

describe('work that ends with a navigation', () => {
  test('navigates if the user is still on the page', async () => {
    const { stored, path } = await pages();
    expect(path()).toBe('/work');
    await stored.come();
    expect(path()).toBe('/done');
  });

  test('does not navigate when the user has left', async () => {
    const { stored, path, go } = await pages();
    await go('/other');
    await stored.come();
    expect(path()).toBe('/other');
  });

  test('does not navigate while another page that the user opened is loading', async () => {
    const { stored, slow, path, go } = await pages();
    await go('/slow');
    expect(path()).toBe('/work');
    await stored.come();
    await slow.come();
    expect(path()).toBe('/slow');
  });

  test('does not navigate when the user left and came back, because the return is another visit', async () => {
    const { stored, path, go } = await pages();
    await go('/other');
    await go(-1);
    expect(path()).toBe('/work');
    await stored.come();
    expect(path()).toBe('/work');
  });

  test('navigates when the user only changed what the page shows', async () => {
    const { stored, path, go } = await pages();
    await go('/work?find=milk');
    await stored.come();
    expect(path()).toBe('/done');
  });
});
