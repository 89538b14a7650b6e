import { act, fireEvent, screen } from '@testing-library/react';
import type { BridgedDatabase } from 'fixpoint/bridge';
import { useState } from 'react';
import { describe, expect, test, vi } from 'vitest';
import { freshDatabase } from '../../../local/fresh-database.fixture.ts';
import { drawPages, type Waiting, waiting, withPages } from '../../../ui/pages.fixture.tsx';
import { UndoBar } from '../../../undo/undo-bar.tsx';
import { withConflict } from '../../history/conflicts/real-conflict.fixture.ts';
import { EditDialog } from './edit-dialog.tsx';

withPages();

const DOCS = [{ _id: 'milk', litres: 1, ' spaced ': true }, { _id: 'oil', litres: 2 }, { _id: 'rice' }];

/** Opens the dialog for all documents of a database. */
async function dialog(given: Partial<BridgedDatabase> = {}) {
  const database =
    'name' in given ? (given as BridgedDatabase) : Object.assign(await freshDatabase(DOCS), given);
  let closed = 0;
  async function* ids() {
    yield ['milk', 'oil'];
    yield ['rice'];
  }
  const Page = () => {
    const [isOpen, setOpen] = useState(true);
    const close = () => {
      closed += 1;
      setOpen(false);
    };
    const fields = ['_id', 'litres', ' spaced '];
    return (
      <>
        <UndoBar database={database} />
        {isOpen && <EditDialog {...{ database, ids, fields }} count={3} onClose={close} />}
      </>
    );
  };
  await drawPages([{ path: '/', Component: Page }], '/');
  const fill = (label: string, value: string) =>
    act(async () => void fireEvent.change(screen.getByLabelText(label), { target: { value } }));
  const press = async (name: string) => {
    const button = await screen.findByRole('button', { name });
    await act(async () => button.click());
  };
  const stored = async (field: string) =>
    (await database.allDocs<Record<string, unknown>>()).rows.map(({ value }) => value[field]);
  const edit = async (field: string, kind: string, value?: string) => {
    await fill('Field', field);
    await fill('Type of new value', kind);
    if (value !== undefined) await fill('new value', value);
    await press('Preview');
  };
  return { database, fill, press, stored, edit, closed: () => closed };
}

const status = () => screen.getAllByRole('status').map(({ textContent }) => textContent);
const preview = () => screen.getByRole<HTMLButtonElement>('button', { name: 'Preview' });

describe('editing a field of many documents', () => {
  test('shows what would change, document by document, before any write', async () => {
    const { edit, stored } = await dialog();
    await edit('litres', 'number', '2');
    await screen.findByRole('button', { name: 'Change 2 documents' });
    expect(status()).toContain(
      'Of 3 documents: 1 will get a new value, 1 will get the field, 1 won’t change.',
    );
    const samples = screen.getAllByRole('listitem').map(({ textContent }) => textContent);
    expect(samples).toEqual(['milk1 → becomes  2', 'rice(no field) → becomes  2']);
    expect(await stored('litres')).toEqual([1, 2, undefined]);
  });

  test('changes what the preview showed, closes, and restores the values on Undo', async () => {
    const { edit, press, stored, closed } = await dialog();
    await edit('litres', 'number', '2');
    await press('Change 2 documents');
    await screen.findByText('Changed litres in 2 documents.');
    expect([await stored('litres'), closed()]).toEqual([[2, 2, 2], 1]);
    await press('Undo');
    await expect.poll(() => stored('litres')).toEqual([1, 2, undefined]);
  });

  test('says how many documents a failed edit changed, and restores them on Undo', async () => {
    const { database, edit, press, stored, closed } = await dialog();
    const write = database.transact;
    vi.spyOn(database, 'transact')
      .mockImplementationOnce(write)
      .mockRejectedValueOnce(new Error('the disk is full'));
    await edit('litres', 'number', '7');
    await press('Change 3 documents');
    await screen.findByText('Changed litres in 2 documents, but not in the rest: the disk is full');
    expect([await stored('litres'), closed()]).toEqual([[7, 7, undefined], 0]);
    await press('Cancel');
    await press('Undo');
    await expect.poll(() => stored('litres')).toEqual([1, 2, undefined]);
  });

  test('removes a field', async () => {
    const { edit, press, stored } = await dialog();
    await edit('litres', 'none');
    await screen.findByRole('button', { name: 'Change 2 documents' });
    expect(status()).toContain('Of 3 documents: 2 will lose the field, 1 won’t change.');
    await press('Change 2 documents');
    await expect.poll(() => stored('litres')).toEqual([undefined, undefined, undefined]);
  });

  test('disables the edit when it would change no document', async () => {
    const { edit } = await dialog();
    await edit('missing', 'none');
    const button = await screen.findByRole<HTMLButtonElement>('button', { name: 'Change 0 documents' });
    expect(button.disabled).toBe(true);
  });

  test('asks before Undo overwrites a later change, and can keep it', async () => {
    const { database, edit, press, stored } = await dialog();
    await edit('litres', 'number', '7');
    await press('Change 3 documents');
    await screen.findByText('Changed litres in 3 documents.');
    await database.put({ _id: 'oil', litres: 99 });
    await press('Undo');
    expect((await screen.findByRole('alert')).textContent).toContain('oil: litres is now 99');
    await press('Undo the other 2');
    await screen.findByText(/but not in 1 document that changed since/);
    expect(await stored('litres')).toEqual([1, 99, undefined]);
  });
});

describe('choosing a field and a value', () => {
  test.each(['_id', '_files', '_publicFiles', '_deleted'])('rejects the field %s', async (field) => {
    const { fill } = await dialog();
    await fill('Field', field);
    expect(screen.getByText(`${field} can’t be changed here.`)).toBeDefined();
    expect(preview().disabled).toBe(true);
  });

  test('enables the preview only with a field name and a value that is valid for its kind', async () => {
    const { fill } = await dialog();
    expect(preview().disabled).toBe(true);
    await fill('Field', 'litres');
    await fill('Type of new value', 'json');
    await fill('new value', '{');
    expect([screen.queryByText('This isn’t valid JSON.') === null, preview().disabled]).toEqual([
      false,
      true,
    ]);
    await fill('new value', '{}');
    expect(preview().disabled).toBe(false);
  });

  test('uses the exact name of an existing field, including spaces', async () => {
    const { edit, press, stored } = await dialog();
    await edit(' spaced ', 'text', 'x');
    await press('Change 3 documents');
    await expect.poll(() => stored(' spaced ')).toEqual(['x', 'x', 'x']);
    expect(await stored('spaced')).toEqual([undefined, undefined, undefined]);
  });

  test('trims a name that no document uses', async () => {
    const { edit, press, stored } = await dialog();
    await edit('  shelf ', 'text', 'A');
    await press('Change 3 documents');
    await expect.poll(() => stored('shelf')).toEqual(['A', 'A', 'A']);
  });

  test('offers the fields that can be changed', async () => {
    await dialog();
    const offered = [...document.querySelectorAll('datalist option')].map((one) => one.getAttribute('value'));
    expect(offered).toEqual(['litres', ' spaced ']);
  });
});

describe('an edit that fails or ends early', () => {
  test('shows why documents couldn’t be read, and allows another preview', async () => {
    const { database, edit, press } = await dialog();
    const allDocs = vi.spyOn(database, 'allDocs').mockRejectedValue(new Error('the archive is damaged'));
    await edit('litres', 'number', '2');
    expect((await screen.findByRole('alert')).textContent).toContain('the archive is damaged');
    allDocs.mockRestore();
    await press('Preview');
    expect(await screen.findByRole('button', { name: 'Change 2 documents' })).toBeDefined();
    expect(screen.queryByRole('alert')).toBeNull();
  });

  test('keeps the dialog open when documents couldn’t be written', async () => {
    const { database, edit, press, closed } = await dialog();
    await edit('litres', 'number', '2');
    vi.spyOn(database, 'transact').mockRejectedValue(new Error('the disk is full'));
    await press('Change 2 documents');
    expect((await screen.findByRole('alert')).textContent).toContain('the disk is full');
    expect(closed()).toBe(0);
  });

  test('shows the progress of a preview, and stops the preview on Cancel', async () => {
    const read = waiting<never>();
    const { edit } = await dialog({ allDocs: () => read.promise } as Partial<BridgedDatabase>);
    await edit('litres', 'number', '2');
    expect(screen.getByRole('progressbar')).toBeDefined();
    const [, stop] = screen.getAllByRole('button', { name: 'Cancel' }).reverse();
    await act(async () => stop?.click());
    expect(screen.queryByRole('progressbar')).toBeNull();
    await read.come({ rows: [] } as never);
    expect(screen.queryByRole('button', { name: /^Change/ })).toBeNull();
  });
});

test('doesn’t show the preview of an edit after the user typed another one', async () => {
  const looks: Waiting<readonly string[]>[] = [];
  const rows = [{ key: 'milk', value: { _id: 'milk', litres: 1 } }];
  const database = { allDocs: () => Promise.resolve({ rows }) } as unknown as BridgedDatabase;
  async function* ids() {
    const look = waiting<readonly string[]>();
    looks.push(look);
    yield await look.promise;
  }
  const Page = () => (
    <EditDialog database={database} fields={['litres']} ids={ids} count={1} onClose={() => undefined} />
  );
  await drawPages([{ path: '/', Component: Page }], '/');
  const fill = (label: string, value: string) =>
    act(async () => void fireEvent.change(screen.getByLabelText(label), { target: { value } }));
  const press = async (name: string) => {
    const button = await screen.findByRole('button', { name });
    await act(async () => button.click());
  };
  await fill('Field', 'litres');
  await press('Preview');
  await fill('Field', 'price');
  await looks[0]?.come(['milk']);
  expect(screen.queryByRole('button', { name: /^Change/ })).toBeNull();
  await press('Preview');
  await looks[1]?.come(['milk']);
  expect(await screen.findByText(/1 will get the field/)).toBeDefined();
});

test('says how many documents with a conflict it left out', async () => {
  const { database, seen } = await withConflict([{ _id: 'rice' }]);
  const { edit, press, closed } = await dialog(database);
  await edit('litres', 'number', '9');
  await press('Change 2 documents');
  await screen.findByText('Left out 1 document with a conflict. Open it to merge the versions.');
  await screen.findByText('Changed litres in 1 document.');
  expect(closed()).toBe(1);
  expect(await database.conflicts('milk')).toEqual(seen);
});
