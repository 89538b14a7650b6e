import { act, screen } from '@testing-library/react';
import type { BridgedDatabase } from 'fixpoint/bridge';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { freshDatabase } from '../../local/fresh-database.fixture.ts';
import { Menu } from '../../ui/overlays/menu.tsx';
import { drawPages, waiting, withPages } from '../../ui/pages.fixture.tsx';
import type { Ids } from './document-ids.ts';
import { ExportItems, ExportOptions } from './export-items.tsx';
import { useExport } from './use-export.tsx';

withPages();

/** Files that the page saved. */
let saved: { readonly name: string; readonly file: Blob }[] = [];
beforeEach(() => {
  saved = [];
  const files = new Map<string, Blob>();
  vi.spyOn(URL, 'createObjectURL').mockImplementation((file) => {
    files.set(`blob:${files.size}`, file as Blob);
    return `blob:${files.size - 1}`;
  });
  vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function click(this: HTMLAnchorElement) {
    saved.push({ name: this.download, file: files.get(this.href) as Blob });
  });
});
afterEach(() => void vi.restoreAllMocks());

/** Renders a menu that exports the documents with these ids, or all documents. */
async function menu(database: BridgedDatabase, ids?: Ids) {
  function Page() {
    const exporting = useExport(database);
    return (
      <>
        <Menu trigger={<button type="button">Export</button>}>
          <ExportItems exporting={exporting} ids={ids} />
          <ExportOptions exporting={exporting} />
        </Menu>
        {exporting.dialog}
      </>
    );
  }
  await drawPages([{ path: '/', Component: Page }], '/');
  const open = async () => {
    await act(async () => screen.getByRole('button', { name: 'Export' }).click());
    await screen.findByRole('menu');
  };
  const choose = async (name: RegExp) => {
    await open();
    await act(async () => screen.getByRole('menuitem', { name }).click());
  };
  return { open, choose };
}

const DOCS = [
  { _id: 'milk', price: '=1+1' },
  { _id: 'rice', price: 2 },
];

describe('exporting documents', () => {
  test.each([
    [/^JSON/, 'json', '[\n{"_id":"milk","price":"=1+1"},\n{"_id":"rice","price":2}\n]\n'],
    [/^NDJSON/, 'ndjson', '{"_id":"milk","price":"=1+1"}\n{"_id":"rice","price":2}\n'],
    [/^CSV/, 'csv', "_id,price\r\nmilk,'=1+1\r\nrice,2\r\n"],
  ])('saves the export of the menu item %s under the name of the database', async (item, end, text) => {
    const { choose } = await menu(await freshDatabase(DOCS));
    await choose(item);
    expect(await screen.findByText('Exported 2 documents.')).toBeDefined();
    expect([saved[0]?.name, await saved[0]?.file.text()]).toEqual([`pantry.${end}`, text]);
  });

  test('keeps only safe characters of the database name', async () => {
    const { choose } = await menu(await freshDatabase(DOCS, '../a b/"c"'));
    await choose(/^JSON/);
    await screen.findByText('Exported 2 documents.');
    expect(saved[0]?.name).toBe('.._a_b_c_.json');
  });

  test('exports only the chosen documents', async () => {
    async function* ids() {
      yield ['rice'];
    }
    const { choose } = await menu(await freshDatabase(DOCS), ids);
    await choose(/^NDJSON/);
    expect(await screen.findByText('Exported 1 document.')).toBeDefined();
    expect(await saved[0]?.file.text()).toBe('{"_id":"rice","price":2}\n');
  });

  test('writes formulas unchanged when the user turns off "Safe for spreadsheets"', async () => {
    const { open } = await menu(await freshDatabase(DOCS));
    await open();
    const option = screen.getByRole('menuitemcheckbox', { name: 'Safe for spreadsheets' });
    expect(option.getAttribute('aria-checked')).toBe('true');
    await act(async () => option.click());
    await act(async () => screen.getByRole('menuitem', { name: /^CSV/ }).click());
    await screen.findByText('Exported 2 documents.');
    expect(await saved[0]?.file.text()).toBe('_id,price\r\nmilk,=1+1\r\nrice,2\r\n');
  });

  test('shows the progress, and saves nothing after Cancel', async () => {
    const next = waiting<void>();
    async function* ids(signal: AbortSignal) {
      yield ['milk'];
      await next.promise;
      signal.throwIfAborted();
    }
    const { choose } = await menu(await freshDatabase(DOCS), ids);
    await choose(/^JSON/);
    expect(await screen.findByRole('progressbar', { name: 'Exporting' })).toBeDefined();
    await act(async () => screen.getByRole('button', { name: 'Cancel' }).click());
    await next.come();
    await expect.poll(() => screen.queryByText('Exporting')).toBeNull();
    expect([saved, screen.queryByRole('alert')]).toEqual([[], null]);
  });

  test('reports documents that couldn’t be read', async () => {
    // biome-ignore lint/correctness/useYield: it fails before its first documents
    async function* ids(): AsyncGenerator<readonly string[]> {
      throw new Error('the archive is damaged');
    }
    const { choose } = await menu(await freshDatabase(DOCS), ids);
    await choose(/^JSON/);
    expect((await screen.findByRole('alert')).textContent).toContain(
      'Couldn’t export the documents: the archive is damaged',
    );
    expect(saved).toEqual([]);
  });
});
