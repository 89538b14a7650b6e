import { FixpointError } from '@fixpoint/protocol';
import { screen, waitFor } from '@testing-library/react';
import type { BridgedDatabase } from 'fixpoint/bridge';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { appWith } from '../../../cloud/app.fixture.ts';
import { drawPart, enter, isDisabled, press } from '../../../cloud/part.fixture.tsx';
import { withEngine } from '../../../engine/engine-here.fixture.ts';
import { waiting, withPages } from '../../../ui/pages.fixture.tsx';
import { HOSTILE_NAMES } from '../../../values/hostile-names.fixture.ts';
import { localWith } from '../local-database.fixture.ts';
import { CreateIndexDialog, fieldsIn } from './create-index-dialog.tsx';

withPages();
withEngine();
afterEach(() => void vi.restoreAllMocks());

/** Opens the dialog of a database with these fields. */
async function dialog(fields: () => Promise<readonly { readonly field: string }[]> = async () => []) {
  const { database } = await localWith({ docs: [{ _id: 'a', city: 'Bern' }] });
  vi.spyOn(database.rows, 'fields').mockImplementation(fields as never);
  const events: string[] = [];
  await drawPart(
    () => (
      <CreateIndexDialog
        database={database}
        onClose={() => events.push('closed')}
        onCreated={() => events.push('created')}
      />
    ),
    appWith({}),
  );
  return { database, events };
}
const suggested = () =>
  [...document.querySelectorAll('datalist option')].map((one) => one.getAttribute('value'));
const declaredIn = async (database: BridgedDatabase) =>
  (await database.explain({})).declared.map(({ fields }) => fields);

describe('the dialog for a new index', () => {
  test('suggests the fields of the documents, except the id, whatever their names are', async () => {
    const names = HOSTILE_NAMES.slice(0, 8);
    await dialog(async () => ['_id', ...names].map((field) => ({ field })));
    await waitFor(() => expect(suggested()).toEqual(names));
  });

  test('works without suggestions if the fields can’t be read', async () => {
    const { database, events } = await dialog(() => Promise.reject(new FixpointError('CORRUPT')));
    await enter('Fields', 'city');
    await press('Create index');
    await screen.findByText('Created an index on city.');
    expect(events).toEqual(['created', 'closed']);
    expect(await declaredIn(database)).toEqual([['city']]);
  });

  test('doesn’t show suggestions that arrive after it was closed', async () => {
    const answer = waiting<readonly { readonly field: string }[]>();
    const { events } = await dialog(() => answer.promise);
    await press('Cancel');
    expect(events).toEqual(['closed']);
    await answer.come([{ field: 'late' }]);
    expect(screen.queryByRole('alert')).toBeNull();
  });

  test('requires a field, and removes the error when the user types', async () => {
    const { events } = await dialog();
    await enter('Fields', ' , ,');
    await press('Create index');
    expect((await screen.findByRole('alert')).textContent).toBe('Enter at least one field.');
    expect(screen.getByLabelText('Fields').getAttribute('aria-invalid')).toBe('true');
    await enter('Fields', 'c');
    expect([screen.queryByRole('alert'), events]).toEqual([null, []]);
  });

  test('can be sent again after the engine rejected a field', async () => {
    const { database } = await dialog();
    await enter('Fields', 'a[], b[]');
    await press('Create index');
    expect((await screen.findByRole('alert')).textContent).toMatch(/more than one/);
    expect(isDisabled('Create index')).toBe(false);
    await enter('Fields', 'a[].b');
    await press('Create index');
    await screen.findByText('Created an index on a[].b.');
    expect(await declaredIn(database)).toEqual([['a[].b']]);
  });
});

test.each([
  ['city', ['city']],
  [' a , b.c ,, a', ['a', 'b.c']],
  ['constructor,__proto__', ['constructor', '__proto__']],
  ['tags[]', ['tags[]']],
  [' , ', []],
  ['', []],
])('reads the fields in "%s"', (text, fields) => {
  expect(fieldsIn(text)).toEqual(fields);
});
