import { act, fireEvent, screen, waitFor } from '@testing-library/react';
import { describe, expect, test } from 'vitest';
import { freshLocal, withEngine } from '../../../engine/engine-here.fixture.ts';
import { drawPages, withPages } from '../../../ui/pages.fixture.tsx';
import { barsOf, Timeline } from './timeline.tsx';

withPages();
withEngine();

/** Renders the timeline of a database with three commits, and returns the events, newest first. */
async function timeline(search = '') {
  const database = await freshLocal([{ _id: 'milk' }]);
  await database.put({ _id: 'rice' });
  const pages = await drawPages(
    [{ path: '/history', element: <Timeline database={database} allPath="/all" /> }],
    `/history${search}`,
  );
  const slider = await screen.findByRole<HTMLInputElement>('slider', { name: 'Timeline' });
  const events = (await database.events({ limit: 10 })).map(({ event }) => event);
  return { ...pages, slider, events };
}

const text = (slider: HTMLElement) => slider.getAttribute('aria-valuetext');
const isOff = (name: string) => screen.getByRole<HTMLButtonElement>('button', { name }).disabled;
const link = () => screen.getByRole('link', { name: 'Browse past versions' }).getAttribute('href');

describe('the timeline of the history', () => {
  test('starts at the latest commit, and links to its version', async () => {
    const { slider, events } = await timeline();
    expect(text(slider)).toBe('Latest commit: Wrote rice');
    expect([slider.min, slider.max, slider.value]).toEqual(['-2', '0', '0']);
    expect([isOff('Older'), isOff('Newer'), link()]).toEqual([false, true, `/all?at=${events[0]}`]);
    expect(screen.getByText(/^Today, /)).toBeDefined();
  });

  test('opens the chosen commit in the list of commits, and keeps the filter', async () => {
    const { slider, events, path } = await timeline('?changed=name');
    await act(async () => void fireEvent.change(slider, { target: { value: '-1' } }));
    expect(text(slider)).toBe('1 commit before the latest: Wrote milk');
    await waitFor(() => expect(path()).toBe(`/history?changed=name&event=${events[1]}`));
    expect(link()).toBe(`/all?at=${events[1]}`);
  });

  test('ends at the oldest commit', async () => {
    const { slider } = await timeline();
    await act(async () => void fireEvent.change(slider, { target: { value: '-2' } }));
    expect([isOff('Older'), isOff('Newer')]).toEqual([true, false]);
    await act(async () => screen.getByRole('button', { name: 'Newer' }).click());
    expect(text(slider)).toBe('1 commit before the latest: Wrote milk');
  });

  test('shows the commit that the address opens', async () => {
    const { slider, events, go } = await timeline();
    await go(`/history?event=${events[1]}`);
    await waitFor(() => expect(text(slider)).toBe('1 commit before the latest: Wrote milk'));
  });
});

const commits = (...documents: number[]) => documents.map((count) => ({ commit: { documents: count } }));

describe('the bars of the timeline', () => {
  test('draws one bar for each commit, oldest first', () => {
    expect(barsOf(commits(1, 3, 0), 10)).toEqual([8, 100, 50]);
  });

  test('combines neighbouring commits if there are too many', () => {
    expect(barsOf(commits(1, 0, 0, 3), 2)).toEqual([100, 50]);
  });

  test('keeps small commits visible beside a large import', () => {
    expect(barsOf(commits(1, 1_000_000), 10)).toEqual([100, 8]);
  });

  test('draws the lowest bar if nothing changed, and none without commits', () => {
    expect(barsOf(commits(0), 10)).toEqual([8]);
    expect(barsOf([], 10)).toEqual([]);
  });
});
