import { act, screen } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { freshDatabase } from '../../../local/fresh-database.fixture.ts';
import { drawPages, withPages } from '../../../ui/pages.fixture.tsx';
import { Attachments } from './attachments.tsx';

withPages();

/** Types of the objects behind URLs that were created and not revoked. */
const urls = new Map<string, string>();
/** Links that the page followed. */
const followed: { name: string; url: string }[] = [];
beforeEach(() => {
  let made = 0;
  vi.spyOn(URL, 'createObjectURL').mockImplementation((file) => {
    made += 1;
    urls.set(`blob:${made}`, (file as Blob).type);
    return `blob:${made}`;
  });
  vi.spyOn(URL, 'revokeObjectURL').mockImplementation((url) => void urls.delete(url));
  vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function click(this: HTMLAnchorElement) {
    followed.push({ name: this.download, url: this.href });
  });
});
afterEach(() => {
  vi.restoreAllMocks();
  urls.clear();
  followed.length = 0;
});

/** Draws the files of a document that holds these. */
async function drawFiles(files: Readonly<Record<string, Blob>>) {
  const database = await freshDatabase([{ _id: 'milk', _files: files }]);
  const stored = await database.get('milk');
  const Page = () => <Attachments database={database} id="milk" stored={stored} isEdited={false} />;
  return { database, ...(await drawPages([{ path: '/', Component: Page }], '/')) };
}

const press = (name: string) => act(async () => screen.getByRole('button', { name }).click());

describe('files that hold scripts', () => {
  const source = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>';
  const svg = new Blob([source], { type: 'image/svg+xml' });

  test('previews an SVG from a data URL, which has no access to the console in a tab', async () => {
    await drawFiles({ 'logo.svg': svg });
    const image = await screen.findByRole<HTMLImageElement>('img', { name: 'logo.svg' });
    expect([image.src, urls.size]).toEqual([`data:image/svg+xml;base64,${btoa(source)}`, 0]);
  });

  test.each([
    ['logo.svg', svg],
    ['page.html', new Blob(['<script>alert(1)</script>'], { type: 'text/html' })],
  ])('downloads %s under its name, as plain bytes', async (name, file) => {
    await drawFiles({ [name]: file });
    await press(`Download ${name}`);
    await expect.poll(() => followed.length).toBe(1);
    expect(followed[0]?.name).toBe(name);
    expect(urls.get(followed[0]?.url ?? '')).toBe('application/octet-stream');
  });
});
