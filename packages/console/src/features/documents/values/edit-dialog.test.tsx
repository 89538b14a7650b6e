import { act, fireEvent, screen } from '@testing-library/react';
import type { BridgedDatabase } from 'fixpoint/bridge';
import { expect, test } from 'vitest';
import { drawPages, type Waiting, waiting, withPages } from '../../../ui/pages.fixture.tsx';
import { EditDialog } from './edit-dialog.tsx';

withPages();

test('doesn’t show the preview of one edit for an edit typed since', async () => {
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
  expect(await screen.findByText(/1 get the field/)).toBeDefined();
});
