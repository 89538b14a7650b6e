import { act, cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { ChartData } from '../../local/ask.ts';
import { bytesText } from '../../values/bytes-text.ts';
import { ChartFigure, type ChartFigureProps } from './chart-figure.tsx';
import { drawNothing } from './no-canvas.fixture.ts';

beforeEach(drawNothing);
afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
});

const DATA: ChartData = {
  labels: ['Mon', 'Tue', 'Wed'],
  series: [
    { name: 'sent', total: 6000, values: [1000, 2000, 3000] },
    { name: '', total: 5, values: [null, 5, null] },
  ],
  isCut: false,
};

async function draw(given: Partial<ChartFigureProps> = {}) {
  render(<ChartFigure data={DATA} label="Bar chart: bytes by day" {...given} />);
  return screen.findByRole('img', { name: /^Bar chart: bytes by day\./ });
}
const press = (chart: HTMLElement, key: string) => act(async () => void fireEvent.keyDown(chart, { key }));
/** Returns the texts of the bar that is read now. */
const read = () => [...document.querySelectorAll('[aria-live] p')].map(({ textContent }) => textContent);

describe('a chart', () => {
  test('lists its series with their totals, and notes after them', async () => {
    await draw({ children: <span>Only some bars.</span> });
    const caption = document.querySelector('figcaption')?.textContent;
    expect(caption).toBe('sent6,000(empty)5Only some bars.');
  });

  test('shows the whole name of a series whose name may be cut off', async () => {
    const name = 'languages '.repeat(20);
    const [first, second] = DATA.series;
    await draw({ data: { ...DATA, series: [{ ...first, name }, second] as ChartData['series'] } });
    const legend = document.querySelector('figcaption');
    expect(legend?.querySelector('.truncate')?.getAttribute('title')).toBe(name);
    expect(legend?.querySelectorAll('.truncate')).toHaveLength(2);
  });

  test('lists no legend for a single series', async () => {
    await draw({ data: { ...DATA, series: DATA.series.slice(0, 1) } });
    expect(document.querySelector('figcaption')?.textContent).toBe('');
  });

  test('can be reached by keyboard, and reads one bar after another', async () => {
    const chart = await draw();
    expect([chart.tabIndex, read()]).toEqual([0, []]);
    await press(chart, 'ArrowRight');
    expect(read()).toEqual(['Mon', 'sent1,000']);
    await press(chart, 'ArrowRight');
    expect(read()).toEqual(['Tue', 'sent2,000', '5']);
    await press(chart, 'ArrowLeft');
    expect(read()[0]).toBe('Mon');
    await press(chart, 'ArrowLeft');
    expect(read()[0]).toBe('Mon');
  });

  test.each([
    ['End', 'Wed'],
    ['Home', 'Mon'],
    ['ArrowLeft', 'Wed'],
  ])('jumps by %s to the bar "%s", and reads nothing after it lost the focus', async (key, label) => {
    const chart = await draw();
    await press(chart, key);
    expect(read()[0]).toBe(label);
    await act(async () => void fireEvent.blur(chart));
    expect(read()).toEqual([]);
  });

  test('leaves other keys to the page', async () => {
    const chart = await draw();
    expect(fireEvent.keyDown(chart, { key: 'Tab' })).toBe(true);
    expect(fireEvent.keyDown(chart, { key: 'ArrowRight' })).toBe(false);
    expect(read()[0]).toBe('Mon');
  });

  test('reads nothing without bars', async () => {
    const chart = await draw({ data: { labels: [], series: [], isCut: false } });
    await press(chart, 'ArrowRight');
    expect(read()).toEqual([]);
  });

  test('formats its values as asked', async () => {
    const chart = await draw({ textOf: bytesText });
    await press(chart, 'End');
    expect(read()).toEqual(['Wed', 'sent3 kB']);
  });
});
