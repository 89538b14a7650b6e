import { FixpointError, type Result } from '@fixpoint/protocol';
import { act, fireEvent, screen, waitFor } from '@testing-library/react';
import type { BridgedDatabase } from 'fixpoint/bridge';
import { beforeEach, describe, expect, test } from 'vitest';
import { signedIn } from '../../cloud/app.fixture.ts';
import { knownKind, rememberKind } from '../../cloud/ledgers/known-kinds.ts';
import { drawPart, enter, isDisabled, press } from '../../cloud/part.fixture.tsx';
import { waiting, withPages } from '../../ui/pages.fixture.tsx';
import { DeleteLedgerCard } from './delete-ledger-card.tsx';
import type { LedgerContext } from './ledger-context.ts';

withPages();
beforeEach(() => localStorage.clear());

const DELETE = 'Delete for everybody';
const UNSENT_SINCE = 'fixpoint:unsent-since:ledger-z1';

async function card(destroy: () => Promise<void> = async () => undefined) {
  const deleted: unknown[] = [];
  let destroyed = 0;
  const answer = waiting<Result<never>>();
  const parts = signedIn({
    api: {
      deleteLedger: (request) => {
        deleted.push(request);
        return answer.promise;
      },
    },
  });
  const database = {
    name: 'ledger-z1',
    destroy: () => {
      destroyed += 1;
      return destroy();
    },
  } as unknown as BridgedDatabase;
  const ledger = { database, tenantId: 't1', ledgerId: 'z1', name: 'Notes' } as unknown as LedgerContext;
  const page = await drawPart(() => <DeleteLedgerCard ledger={ledger} />, parts);
  await press('Delete Database');
  await screen.findByRole('dialog', { name: 'Delete Notes?' });
  return { ...page, deleted, answer, destroyed: () => destroyed };
}
const typeName = (text: string) => enter('Type the name of the database', text);
const DONE = { ok: true, value: undefined as never } as const;

describe('deleting a database', () => {
  test('requires the exact name of the database', async () => {
    const { deleted } = await card();
    expect(isDisabled(DELETE)).toBe(true);
    for (const wrong of ['notes', 'Note', 'Notes!', ' ']) {
      await typeName(wrong);
      expect(isDisabled(DELETE)).toBe(true);
      const form = screen.getByLabelText('Type the name of the database').closest('form');
      await act(async () => void fireEvent.submit(form as HTMLFormElement));
    }
    expect(deleted).toEqual([]);
    await typeName(' Notes ');
    expect(isDisabled(DELETE)).toBe(false);
  });

  test('deletes the database for everybody, leads to the other databases, and removes the copy here', async () => {
    rememberKind('z1', 'sealed');
    localStorage.setItem(UNSENT_SINCE, '2026-11-25T12:00:00Z');
    const { deleted, answer, path, destroyed } = await card();
    await typeName('Notes');
    await press(DELETE);
    expect([deleted, destroyed()]).toEqual([[{ tenantId: 't1', ledgerId: 'z1' }], 0]);
    await answer.come(DONE);
    await screen.findByText('Notes deleted.');
    expect(path()).toBe('/fp/cloud/tenants/t1/ledgers');
    await waitFor(() => expect(destroyed()).toBe(1));
    expect([localStorage.getItem(UNSENT_SINCE), knownKind({ ledgerId: 'z1' })]).toEqual([null, undefined]);
  });

  test('keeps the copy here when the server rejects the deletion, and says why', async () => {
    const { answer, path, destroyed } = await card();
    await typeName('Notes');
    await press(DELETE);
    await answer.come({ ok: false, error: new FixpointError('FORBIDDEN', 'Only for admins.') });
    expect((await screen.findByRole('alert')).textContent).toContain('Only for admins.');
    expect([path(), destroyed()]).toEqual(['/', 0]);
    await waitFor(() => expect(isDisabled(DELETE)).toBe(false));
  });

  test('reports that the copy here couldn’t be deleted after the server deleted the database', async () => {
    const { answer } = await card(() => Promise.reject(new FixpointError('STORE_FAILED')));
    await typeName('Notes');
    await press(DELETE);
    await answer.come(DONE);
    expect((await screen.findByRole('alert')).textContent).toMatch(
      /Couldn’t delete the copy in this browser\..*The browser couldn’t store the data/,
    );
    await screen.findByText('Notes deleted.');
  });

  test('doesn’t navigate when the user left the page before the answer arrived', async () => {
    const { answer, path, go, destroyed } = await card();
    await typeName('Notes');
    await press(DELETE);
    await go('/fp/databases');
    await answer.come(DONE);
    await screen.findByText('Notes deleted.');
    await waitFor(() => expect(destroyed()).toBe(1));
    expect(path()).toBe('/fp/databases');
  });

  test('deletes nothing when the user cancels, and forgets the typed name', async () => {
    const { deleted } = await card();
    await typeName('Notes');
    await press('Cancel');
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    await press('Delete Database');
    await screen.findByRole('dialog');
    expect([deleted, isDisabled(DELETE)]).toEqual([[], true]);
  });
});
