import { FixpointError } from '@fixpoint/protocol';
import type { AdminClient, UsedDay } from '@fixpoint/protocol/admin';
import { cleanup, screen, within } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { done, refused, signedIn } from '../../cloud/app.fixture.ts';
import { drawPart, press } from '../../cloud/part.fixture.tsx';
import { withPages } from '../../ui/pages.fixture.tsx';
import { widthOfWindow } from '../../ui/window-width.fixture.ts';
import { drawNothing } from '../charts/no-canvas.fixture.ts';
import { UsageCard } from './usage-card.tsx';
import { chartOfDays, isUsed } from './usage-chart.ts';

withPages();

beforeEach(drawNothing);
afterEach(() => void vi.unstubAllGlobals());

const DAYS: UsedDay[] = [
  { day: '2026-11-20', uploaded: 0, downloaded: 0, requests: 0 },
  { day: '2026-11-21', uploaded: 1_500_000, downloaded: 2000, requests: 1234, stored: 38_000_000 },
];
const draw = (listUsage: AdminClient['listUsage']) =>
  drawPart(() => <UsageCard tenantId="t1" />, signedIn({ api: { listUsage } }));
/** Returns the texts of the table, row by row. */
const cells = async () =>
  within(await screen.findByRole('table'))
    .getAllByRole('row')
    .map((row) => [...row.children].map(({ textContent }) => textContent));

describe('the usage of a tenant', () => {
  test('shows bytes, requests and storage by day, each as a chart with a table', async () => {
    await draw(() => done({ days: DAYS, bytes: 39_000_000, maxBytes: 1e9 }));
    expect(await cells()).toEqual([
      ['day', 'sent', 'fetched'],
      ['Nov 21', '1.5 MB', '2 kB'],
      ['Nov 20', '0 B', '0 B'],
    ]);
    expect(
      await screen.findByRole('img', { name: /^Bar chart: bytes sent and fetched by day/ }),
    ).toBeDefined();
    expect(screen.getByText(/Stored now: 39 MB of 1 GB/)).toBeDefined();
    await press('Requests');
    expect(await cells()).toContainEqual(['Nov 21', '1,234']);
    await press('Storage');
    expect(await cells()).toEqual([
      ['day', 'stored'],
      ['Nov 21', '38 MB'],
      ['Nov 20', 'unknown'],
    ]);
  });

  test('shows the table beside the chart in a wide window, and below it on demand in others', async () => {
    const usage = () => done({ days: DAYS, bytes: 1 });
    await draw(usage);
    expect((await screen.findByRole('table')).closest('details')?.open).toBe(false);
    cleanup();
    widthOfWindow(true);
    await draw(usage);
    const table = await screen.findByRole('table');
    expect(table.closest('details')).toBe(null);
    const scrolled = screen.getByRole('region', { name: 'bytes sent and fetched by day' });
    expect([scrolled.contains(table), scrolled.tabIndex]).toEqual([true, 0]);
    await press('Storage');
    expect(await cells()).toContainEqual(['Nov 21', '38 MB']);
  });

  test('says that nothing was used', async () => {
    await draw(() => done({ days: DAYS.slice(0, 1), bytes: 0 }));
    expect(await screen.findByText(/No device has used/)).toBeDefined();
    expect(screen.queryByRole('table')).toBe(null);
  });

  test.each([
    ['Bytes', { requests: 3 }, /^No device has sent or fetched bytes/],
    ['Requests', { uploaded: 9 }, /^No device has sent a request/],
    ['Storage', { requests: 3 }, /^No stored bytes were counted/],
  ])('says that there are no %s to draw, although there is other use', async (segment, used, none) => {
    const [day] = DAYS;
    await draw(() => done({ days: [{ ...(day as UsedDay), ...used }], bytes: 0 }));
    await press(segment);
    expect(await screen.findByText(none)).toBeDefined();
    expect([screen.queryByRole('img'), screen.queryByRole('table')]).toEqual([null, null]);
    await press(segment === 'Requests' ? 'Bytes' : 'Requests');
    expect(await screen.findByRole('table')).toBeDefined();
  });

  test('shows why the usage is missing, and tries again', async () => {
    const answers = [refused(new FixpointError('FORBIDDEN')), done({ days: DAYS, bytes: 1 })];
    await draw(() => answers.shift() ?? done({ days: [], bytes: 0 }));
    expect((await screen.findByRole('alert')).textContent).toMatch(/^Error: Couldn’t load the usage\./);
    await press('Try again');
    expect(await cells()).toHaveLength(3);
  });
});

test('draws no bar on days before the first count', () => {
  expect(chartOfDays(DAYS, 'storage').series).toEqual([
    { name: 'stored', total: 38_000_000, values: [null, 38_000_000] },
  ]);
});

test('counts any traffic and any stored bytes as use', () => {
  const day = { day: '2026-11-20', uploaded: 0, downloaded: 0, requests: 0 };
  expect([
    isUsed([]),
    isUsed([day]),
    isUsed([day, { ...day, requests: 1 }]),
    isUsed([{ ...day, stored: 1 }]),
  ]).toEqual([false, false, true, true]);
});
