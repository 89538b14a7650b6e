import { act, fireEvent, render, renderHook, screen, waitFor } from '@testing-library/react';
import type { Database, StoredFile } from 'fixpoint';
import { StrictMode } from 'react';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { freshDatabase } from '../database.fixture.ts';
import { File as FileComponent, FileLink, ImgFile, useDocument, useFile } from '../index.ts';

type WithFiles = { _files: Record<string, StoredFile> };

/** Types of the objects behind URLs that were created and not revoked. */
const urls = new Map<string, string>();
let made = 0;
beforeEach(() => {
  vi.spyOn(URL, 'createObjectURL').mockImplementation((file) => {
    made += 1;
    urls.set(`blob:${made}`, (file as Blob).type);
    return `blob:${made}`;
  });
  vi.spyOn(URL, 'revokeObjectURL').mockImplementation((url) => void urls.delete(url));
});
afterEach(() => {
  vi.restoreAllMocks();
  urls.clear();
});

async function holdingFiles(): Promise<{
  database: Database;
  files: () => Promise<Record<string, StoredFile>>;
}> {
  const database = freshDatabase();
  const image = new Blob(['pixels'], { type: 'image/png' });
  await database.put({ _id: 'a', _files: { image, page: new Blob(['<p>'], { type: 'text/html' }) } });
  return { database, files: async () => (await database.get<WithFiles>('a'))._files };
}

describe('ImgFile', () => {
  test('shows an image with one URL for all components, and revokes the URL after the last one unmounts', async () => {
    const { files } = await holdingFiles();
    const [first, again] = [(await files())['image'], (await files())['image']];
    const page = (both: boolean) => (
      <StrictMode>
        <ImgFile file={first} alt="one" className="round" placeholder="wait" />
        {both ? <ImgFile meta={again} alt="two" /> : null}
      </StrictMode>
    );
    const { rerender, unmount } = render(page(true));
    expect(screen.getByText('wait')).toBeTruthy();
    const one = await screen.findByAltText<HTMLImageElement>('one');
    const two = await screen.findByAltText<HTMLImageElement>('two');
    expect([one.className, one.src === two.src, [...urls.values()]]).toEqual(['round', true, ['image/png']]);
    rerender(page(false));
    expect(urls.size).toBe(1);
    unmount();
    expect(urls.size).toBe(0);
  });

  test('creates another URL for another file, and revokes the previous one', async () => {
    const { database, files } = await holdingFiles();
    const { rerender, container } = render(<ImgFile file={(await files())['image']} />);
    await waitFor(() => expect(container.querySelector('img')).toBeTruthy());
    const before = container.querySelector('img')?.src;
    rerender(<ImgFile file={(await files())['image']} />);
    expect(container.querySelector('img')?.src).toBe(before);
    await database.put({ _id: 'a', _files: { image: new Blob(['other'], { type: 'image/gif' }) } });
    rerender(<ImgFile file={(await files())['image']} />);
    await waitFor(() => expect(container.querySelector('img')?.src).not.toBe(before));
    await waitFor(() => expect([...urls.values()]).toEqual(['image/gif']));
  });

  test('shows an image that was just chosen, but the placeholder for a file that is not an image', async () => {
    const chosen = new Blob(['x'], { type: 'image/png' });
    const { container, rerender } = render(<ImgFile file={chosen} />);
    await waitFor(() => expect(container.querySelector('img')).toBeTruthy());
    rerender(<ImgFile file={new Blob(['x'], { type: 'text/plain' })} placeholder="no image" />);
    expect(container.textContent).toBe('no image');
    rerender(<ImgFile />);
    expect([container.textContent, urls.size]).toEqual(['', 0]);
  });

  test('shows an SVG from a data URL, so that its scripts never run on this origin', async () => {
    const source = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>';
    const svg = new Blob([source], { type: 'image/svg+xml' });
    const { unmount } = render(<ImgFile file={svg} alt="drawing" />);
    const image = await screen.findByAltText<HTMLImageElement>('drawing');
    expect([image.src, urls.size]).toEqual([`data:image/svg+xml;base64,${btoa(source)}`, 0]);
    unmount();
  });

  test('creates no URL when the component unmounts before the content has loaded', async () => {
    const { files } = await holdingFiles();
    const entry = (await files())['image'];
    let give: ((file: File) => void) | undefined;
    const late = {
      ...entry,
      file: () =>
        new Promise<File>((resolve) => {
          give = resolve;
        }),
    } as StoredFile;
    const before = made;
    const { unmount } = render(<ImgFile file={late} />);
    unmount();
    await act(async () => give?.((await entry?.file()) as File));
    expect([made, urls.size]).toEqual([before, 0]);
  });
});

describe('FileLink', () => {
  test('downloads the file under its name, and as plain bytes if a browser would run the file', async () => {
    const { files } = await holdingFiles();
    render(<FileLink file={(await files())['page']} name="page.html" />);
    const link = await screen.findByText<HTMLAnchorElement>('page.html');
    expect([link.download, [...urls.values()]]).toEqual(['page.html', ['application/octet-stream']]);
    expect(FileComponent).toBe(FileLink);
  });
});

describe('useFile', () => {
  test('reports why there is no content, and retries on request', async () => {
    const { files } = await holdingFiles();
    const entry = (await files())['image'];
    let isThere = false;
    const late = {
      ...entry,
      file: () => (isThere ? entry?.file() : Promise.reject(new Error('not here'))),
    } as StoredFile;
    const { result } = renderHook(() => useFile(late), { reactStrictMode: true });
    await waitFor(() => expect(result.current.error?.message).toBe('not here'));
    render(<ImgFile file={late} failed={({ message }) => <b>{message}</b>} />);
    await waitFor(() => expect(screen.getByText('not here')).toBeTruthy());
    isThere = true;
    const { retry } = result.current;
    act(() => retry());
    await waitFor(() => expect(result.current.url).toBeTypeOf('string'));
    expect([result.current.error, result.current.retry === retry]).toEqual([undefined, true]);
    expect(await result.current.file?.text()).toBe('pixels');
  });
});

describe('useDocument with files', () => {
  test('saves a chosen file, and replaces the file in the draft with its stored entry', async () => {
    const { database } = await holdingFiles();
    function Upload() {
      const { doc, merge, save } = useDocument<{ title: string; _files: Record<string, Blob | StoredFile> }>(
        database,
        {
          _id: 'form',
          title: '',
          _files: {},
        },
      );
      return (
        <>
          <button
            type="button"
            onClick={() => merge({ _files: { pic: new Blob(['p'], { type: 'image/png' }) } })}
          >
            choose
          </button>
          <button type="button" onClick={() => void save()}>
            save
          </button>
          <ImgFile file={doc._files['pic']} alt={'cid' in (doc._files['pic'] ?? {}) ? 'stored' : 'chosen'} />
        </>
      );
    }
    const { unmount } = render(<Upload />);
    await waitFor(() => expect(screen.getByText('choose')).toBeTruthy());
    fireEvent.click(screen.getByText('choose'));
    await screen.findByAltText('chosen');
    fireEvent.click(screen.getByText('save'));
    await screen.findByAltText('stored');
    expect(
      await (await database.get<WithFiles>('form'))._files['pic']?.file().then((file) => file.text()),
    ).toBe('p');
    unmount();
    expect(urls.size).toBe(0);
  });
});
