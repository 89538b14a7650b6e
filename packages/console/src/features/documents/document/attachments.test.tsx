import { act, fireEvent, screen, within } from '@testing-library/react';
import type { Database, Stored, StoredFile } from 'fixpoint';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { WritingContext } from '../../../local/can-write.ts';
import { freshDatabase } from '../../../local/fresh-database.fixture.ts';
import { drawPages, waiting, withPages } from '../../../ui/pages.fixture.tsx';
import { UndoBar } from '../../../undo/undo-bar.tsx';
import { withConflict } from '../../history/conflicts/real-conflict.fixture.ts';
import { Attachments } from './attachments.tsx';

withPages();

/** Object URLs that were created and not revoked, with the types of their blobs. */
const urls = new Map<string, string>();
/** Download links that the page clicked. */
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

interface Given {
  readonly isEdited?: boolean;
  readonly mayWrite?: boolean;
}

/** Renders the files of a stored document. The test can leave this page for `/other`. */
async function drawStored(
  database: Database,
  stored: Stored | undefined,
  { isEdited = false, mayWrite = true }: Given = {},
) {
  const Page = () => (
    <WritingContext value={mayWrite ? 'allowed' : 'no right'}>
      <UndoBar database={database} />
      <Attachments database={database} id="milk" stored={stored} isEdited={isEdited} />
    </WritingContext>
  );
  return drawPages(
    [
      { path: '/', Component: Page },
      { path: '/other', Component: () => <h1>Other</h1> },
    ],
    '/',
  );
}

/** Stores a document with these files, and renders them. */
async function drawFiles(files: Readonly<Record<string, Blob>>, given: Given = {}) {
  const database = await freshDatabase([{ _id: 'milk', _files: files }]);
  const pages = await drawStored(database, await database.get('milk'), given);
  const names = async () => {
    const { _files } = (await database.get('milk')) as Partial<Record<string, object>>;
    return Object.keys(_files ?? {}).sort();
  };
  return { database, names, ...pages };
}

/** Renders a file whose content the test provides later. */
async function drawLate(type: string, size = 10) {
  const content = waiting<Blob>();
  const entry = { type, size, file: () => content.promise } as unknown as StoredFile;
  const pages = await drawStored({} as Database, { _id: 'milk', _files: { late: entry } });
  return { content, ...pages };
}

const press = (name: string) => act(async () => screen.getByRole('button', { name }).click());
const button = (name: string) => screen.getByRole<HTMLButtonElement>('button', { name });
const choose = (...files: File[]) =>
  act(async () => void fireEvent.change(screen.getByLabelText('Files to add'), { target: { files } }));
const text = (content: string, type = 'text/plain') => new Blob([content], { type });

describe('files that contain scripts', () => {
  const source = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>';
  const svg = text(source, 'image/svg+xml');
  const html = text('<script>alert(1)</script>', 'text/html');

  test('previews an SVG from a data URL, which has no access to the console in a tab', async () => {
    await drawFiles({ 'logo.svg': svg });
    const image = await screen.findByRole<HTMLImageElement>('img', { name: 'logo.svg' });
    expect([image.src, urls.size]).toEqual([`data:image/svg+xml;base64,${btoa(source)}`, 0]);
  });

  test.each([
    ['logo.svg', svg],
    ['page.html', html],
  ])('downloads %s under its name, as plain bytes', async (name, file) => {
    await drawFiles({ [name]: file });
    await press(`Download ${name}`);
    await expect.poll(() => followed.length).toBe(1);
    expect(followed[0]?.name).toBe(name);
    expect(urls.get(followed[0]?.url ?? '')).toBe('application/octet-stream');
  });

  test('previews an HTML file as source text', async () => {
    await drawFiles({ 'page.html': html });
    expect(await screen.findByText('<script>alert(1)</script>')).toBeDefined();
    expect(document.querySelector('section script')).toBeNull();
  });
});

describe('the preview of a file', () => {
  test('shows a picture with its name, and revokes the URL when the user leaves the page', async () => {
    const { go } = await drawFiles({ 'a.png': text('pixels', 'image/png') });
    const image = await screen.findByRole<HTMLImageElement>('img', { name: 'a.png' });
    expect([image.src, [...urls.values()]]).toEqual(['blob:1', ['image/png']]);
    await go('/other');
    expect(urls.size).toBe(0);
  });

  test('keeps no URL of a picture that loads after the user left the page', async () => {
    const { content, go } = await drawLate('image/png');
    await go('/other');
    await content.come(text('pixels', 'image/png'));
    expect(urls.size).toBe(0);
  });

  test('shows the beginning of a long text', async () => {
    await drawFiles({ 'long.txt': text(`${'a'.repeat(590)}${'b'.repeat(9000)}`) });
    const shown = await screen.findByText(/^a+b+$/);
    expect(shown.textContent).toBe('a'.repeat(590) + 'b'.repeat(10));
  });

  test('doesn’t read a file that is too large to preview, or whose type has no preview', async () => {
    const file = vi.fn(() => Promise.reject(new Error('unused')));
    const of = (type: string, size: number) => ({ type, size, file }) as unknown as StoredFile;
    const files = { big: of('image/png', 8_000_001), doc: of('application/pdf', 10) };
    await drawStored({} as Database, { _id: 'milk', _files: files });
    expect([screen.getAllByRole('listitem').length, file.mock.calls.length]).toEqual([2, 0]);
  });

  test('says why a file can’t be shown or downloaded', async () => {
    const file = () => Promise.reject(new Error('its archive is missing'));
    const entry = { type: 'image/png', size: 10, file } as unknown as StoredFile;
    await drawStored({} as Database, { _id: 'milk', _files: { 'a.png': entry } });
    expect(await screen.findByText('its archive is missing')).toBeDefined();
    await press('Download a.png');
    const alert = await screen.findByRole('alert');
    expect(alert.textContent).toContain('Couldn’t read a.png: its archive is missing');
    expect(followed).toEqual([]);
  });

  test('shows the type and the size of each file', async () => {
    await drawFiles({ plain: new Blob(['x'.repeat(1500)]), 'a.txt': text('hello') });
    const [first, second] = screen.getAllByRole('listitem');
    expect(within(first as HTMLElement).getByText('text/plain · 5 B')).toBeDefined();
    expect(within(second as HTMLElement).getByText(/· 1.5 kB$/)).toBeDefined();
  });
});

describe('adding and removing files', () => {
  test('adds the chosen files to the stored ones', async () => {
    const { names } = await drawFiles({ 'a.txt': text('a') });
    await choose(new File(['b'], 'b.txt'), new File(['c'], 'c.txt'));
    await expect.poll(names).toEqual(['a.txt', 'b.txt', 'c.txt']);
  });

  test('writes nothing when the user chooses no file', async () => {
    const { database, names } = await drawFiles({ 'a.txt': text('a') });
    const put = vi.spyOn(database, 'transact');
    await choose();
    await choose(new File(['b'], 'b.txt'));
    await expect.poll(names).toEqual(['a.txt', 'b.txt']);
    expect(put).toHaveBeenCalledTimes(1);
  });

  test('keeps a field that another device wrote while the page was open', async () => {
    const { database, names } = await drawFiles({ 'a.txt': text('a') });
    await database.put({ ...(await database.get('milk')), litres: 2 });
    await choose(new File(['b'], 'b.txt'));
    await expect.poll(names).toEqual(['a.txt', 'b.txt']);
    expect(await database.get('milk')).toMatchObject({ litres: 2 });
  });

  test.each([
    ['adds', () => choose(new File(['b'], 'b.txt')), ['a.txt', 'b.txt']],
    ['removes', () => press('Remove a.txt'), []],
  ])('%s a file without losing a write that lands in between', async (_what, change, left) => {
    const { database, names } = await drawFiles({ 'a.txt': text('a') });
    // The file is read, then another device writes.
    vi.spyOn(database, 'conflicts').mockImplementationOnce(async () => {
      await database.put({ ...(await database.get('milk')), litres: 2 });
      return undefined;
    });
    await change();
    await expect.poll(names).toEqual(left);
    expect(await database.get('milk')).toMatchObject({ litres: 2 });
  });

  test('changes no file while the document has a conflict', async () => {
    const { database, seen } = await withConflict();
    await drawStored(database, seen.winner.value);
    await choose(new File(['b'], 'b.txt'));
    expect((await screen.findByRole('alert')).textContent).toContain(
      'Couldn’t add the file: this document has a conflict. Choose a version or merge them first.',
    );
    expect(await database.conflicts('milk')).toEqual(seen);
  });

  test('removes a file, and restores it with its content on Undo', async () => {
    const { database, names } = await drawFiles({ 'a.txt': text('first'), 'b.txt': text('second') });
    await press('Remove a.txt');
    await expect.poll(names).toEqual(['b.txt']);
    await screen.findByText('Removed a.txt.');
    await press('Undo');
    await expect.poll(names).toEqual(['a.txt', 'b.txt']);
    const { _files } = (await database.get('milk')) as unknown as { _files: Record<string, StoredFile> };
    expect(await (await _files['a.txt']?.file())?.text()).toBe('first');
  });

  test('removes a file named __proto__, and no other file', async () => {
    const files = Object.fromEntries(['__proto__', 'toString'].map((name) => [name, text(name)]));
    const { names } = await drawFiles(files);
    await press('Remove __proto__');
    await expect.poll(names).toEqual(['toString']);
  });

  test('reports that a file couldn’t be added, and accepts another file', async () => {
    const { database } = await drawFiles({ 'a.txt': text('a') });
    const put = vi.spyOn(database, 'transact').mockRejectedValue(new Error('the disk is full'));
    await choose(new File(['b'], 'b.txt'));
    const alert = await screen.findByRole('alert');
    expect(alert.textContent).toContain('Couldn’t add the file: the disk is full');
    expect(button('Add files').disabled).toBe(false);
    put.mockRestore();
  });

  test('reports that a file couldn’t be removed, and offers no Undo', async () => {
    const { database } = await drawFiles({ 'a.txt': text('a') });
    const put = vi.spyOn(database, 'transact').mockRejectedValue(new Error('the disk is full'));
    await press('Remove a.txt');
    const alert = await screen.findByRole('alert');
    expect(alert.textContent).toContain('Couldn’t remove the file: the disk is full');
    expect(screen.queryByRole('button', { name: 'Undo' })).toBeNull();
    put.mockRestore();
  });

  test('allows no other change until the current one is stored', async () => {
    const { database } = await drawFiles({ 'a.txt': text('a') });
    const write = waiting<never>();
    const put = vi.spyOn(database, 'transact').mockReturnValue(write.promise);
    await press('Remove a.txt');
    expect([button('Add files').disabled, button('Remove a.txt').disabled]).toEqual([true, true]);
    await write.come(undefined as never);
    expect(button('Add files').disabled).toBe(false);
    put.mockRestore();
  });

  test('allows no change until the text of the document is saved, and says so', async () => {
    await drawFiles({ 'a.txt': text('a') }, { isEdited: true });
    expect([button('Add files').disabled, button('Add files').title]).toEqual([
      true,
      'Save the document first',
    ]);
    expect(button('Remove a.txt').disabled).toBe(true);
  });
});

describe('a reader who may not write', () => {
  test('can download files, but can’t add or remove any', async () => {
    await drawFiles({ 'a.txt': text('a') }, { mayWrite: false });
    expect(screen.queryByRole('button', { name: 'Add files' })).toBeNull();
    expect([button('Remove a.txt').disabled, button('Download a.txt').disabled]).toEqual([true, false]);
  });

  test('sees no Files section in a document without files', async () => {
    await drawStored({} as Database, { _id: 'milk' }, { mayWrite: false });
    expect(screen.queryByRole('region', { name: 'Files' })).toBeNull();
  });
});
