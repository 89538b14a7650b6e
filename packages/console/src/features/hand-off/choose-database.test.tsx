import { FixpointError } from '@fixpoint/protocol';
import type { AdminClient } from '@fixpoint/protocol/admin';
import { act, fireEvent, screen } from '@testing-library/react';
import { describe, expect, test } from 'vitest';
import { appWith, done, refused } from '../../cloud/app.fixture.ts';
import { drawPages, type Waiting, waiting, withPages } from '../../ui/pages.fixture.tsx';
import { ChooseDatabase, type ChosenPlace } from './choose-database.tsx';
import type { Place } from './places.ts';

withPages();

const NOTES: Place = { tenantId: 't1', ledgerId: 'l1', name: 'notes', label: 'notes in Physics' };
const TASKS: Place = { tenantId: 't2', ledgerId: 'l2', name: 'todo', label: 'todo in Maths' };
const NEW: Place = { tenantId: 't2', ledgerId: undefined, name: 'recipes', label: 'recipes in Maths (new)' };

/** Renders the question for these databases; the test settles each call of `onAgree`. */
async function question(places: readonly Place[], api: Partial<AdminClient> = {}) {
  const agreed: { readonly place: ChosenPlace; readonly end: Waiting<void> }[] = [];
  const Page = () => (
    <ChooseDatabase
      places={places}
      asker={<p>An app asks.</p>}
      advice={<p>Check it.</p>}
      cancel={<button type="button">Cancel</button>}
      onAgree={(place) => {
        const end = waiting<void>();
        agreed.push({ place, end });
        return end.promise;
      }}
    />
  );
  await drawPages([{ path: '/', Component: Page }], '/', appWith({ api }));
  const choose = (label: string) => {
    const option = screen.getByRole<HTMLOptionElement>('option', { name: label });
    const change = { target: { value: option.value } };
    return act(async () => void fireEvent.change(screen.getByLabelText('Database'), change));
  };
  const allow = () => screen.getByRole<HTMLButtonElement>('button', { name: 'Allow access' });
  return { agreed, choose, allow, agree: () => act(async () => allow().click()) };
}

describe('choosing a database for an app', () => {
  test('sends nothing before the user agrees', async () => {
    const { agreed, choose } = await question([NOTES, TASKS]);
    await choose('todo in Maths');
    expect(agreed).toEqual([]);
  });

  test('starts with the requested database', async () => {
    const { agreed, agree } = await question([NOTES, TASKS]);
    await agree();
    expect(agreed[0]?.place).toEqual(NOTES);
  });

  test('gives access only to the chosen database', async () => {
    const { agreed, choose, agree } = await question([NOTES, TASKS]);
    await choose('todo in Maths');
    await agree();
    expect(agreed.map(({ place }) => place)).toEqual([TASKS]);
  });

  test('agrees once, and keeps the choice, while the token is created', async () => {
    const { agreed, agree, allow } = await question([NOTES, TASKS]);
    await agree();
    await agree();
    expect([agreed.length, allow().disabled]).toEqual([1, true]);
    expect(screen.getByLabelText<HTMLSelectElement>('Database').disabled).toBe(true);
    await agreed[0]?.end.come();
    expect(allow().disabled).toBe(false);
  });

  test('creates a new database in its tenant only when the user agrees', async () => {
    const created: unknown[] = [];
    const createLedger = ((asked: unknown) => {
      created.push(asked);
      return done({ ledgerId: 'l9' });
    }) as unknown as AdminClient['createLedger'];
    const { agreed, choose, agree } = await question([NOTES, NEW], { createLedger });
    await choose('recipes in Maths (new)');
    expect(created).toEqual([]);
    await agree();
    expect(created).toEqual([{ tenantId: 't2', name: 'recipes' }]);
    expect(agreed[0]?.place).toEqual({ ...NEW, ledgerId: 'l9' });
  });

  test('shows why a database couldn’t be created, and sends no token', async () => {
    const createLedger = (() =>
      refused(new FixpointError('LIMIT_REACHED'))) as unknown as AdminClient['createLedger'];
    const { agreed, agree, allow } = await question([NEW], { createLedger });
    await agree();
    expect((await screen.findByRole('alert')).textContent).toMatch(/Delete something that counts/);
    expect([agreed, allow().disabled]).toEqual([[], false]);
  });

  test('shows why no token could be sent, and removes the error on the next try', async () => {
    let calls = 0;
    const Page = () => (
      <ChooseDatabase
        places={[NOTES]}
        asker=""
        advice=""
        cancel=""
        onAgree={() => {
          calls += 1;
          return calls === 1 ? Promise.reject(new Error('the window was closed')) : Promise.resolve();
        }}
      />
    );
    await drawPages([{ path: '/', Component: Page }], '/');
    const agree = () => act(async () => screen.getByRole('button', { name: 'Allow access' }).click());
    await agree();
    expect((await screen.findByRole('alert')).textContent).toContain('the window was closed');
    await agree();
    expect(screen.queryByRole('alert')).toBeNull();
  });
});
