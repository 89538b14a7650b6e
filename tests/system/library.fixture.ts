/** The initial documents for tests of the table. */
import type { Page } from 'playwright-core';
import { makeDatabase } from './local.fixture.ts';

export const libraryDocs = Array.from({ length: 1200 }, (_, n) => ({
  _id: `doc-${String(n).padStart(4, '0')}`,
  title: `Title ${n}`,
  year: 1800 + (n % 200),
  ...(n % 2 === 0 && { tags: ['even', n] }),
  ...(n % 4 === 0 && { place: { city: 'Lisbon' } }),
}));

export async function makeLibrary(page: Page, url: string): Promise<void> {
  page.on('dialog', (dialog) => void dialog.accept());
  await makeDatabase(page, url, 'library', libraryDocs);
  await page.getByText('1,200 documents', { exact: true }).waitFor({ state: 'visible' });
}

export async function openLibrary(page: Page, url: string, search = ''): Promise<void> {
  await page.goto(`${url}/fp/databases/library${search}`);
  await page.getByRole('grid').getByRole('link').first().waitFor({ state: 'visible' });
  await page.getByText(/^[\d,]+ documents?( found)?$/).waitFor({ state: 'visible' });
}

export const shownIds = (page: Page) => page.getByRole('grid').getByRole('link').allInnerTexts();
