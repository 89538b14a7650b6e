import { FixpointError, type Result } from '@fixpoint/protocol';
import type { AdminClient, Answer } from '@fixpoint/protocol/admin';
import { act, fireEvent, screen } from '@testing-library/react';
import { expect, test } from 'vitest';
import { appWith, done } from '../../cloud/app.fixture.ts';
import { apiTokensQuery } from '../../cloud/queries/queries.ts';
import { drawPages, waiting, withPages } from '../../ui/pages.fixture.tsx';
import { CreateTokenDialog } from './create-token-dialog.tsx';

withPages();

type Made = Answer<'reqCreateApiToken'>;

/** Renders the dialog; the test decides when the token arrives. */
async function dialog() {
  const sent: unknown[] = [];
  const answer = waiting<Result<Made>>();
  let closed = 0;
  const api: Partial<AdminClient> = {
    createApiToken: (request) => {
      sent.push(request);
      return answer.promise;
    },
    listApiTokens: () => done([]),
  };
  const parts = appWith({ api });
  await parts.queries.prefetchQuery(apiTokensQuery(parts.api, 't1'));
  const close = () => {
    closed += 1;
  };
  await drawPages(
    [{ path: '/', Component: () => <CreateTokenDialog tenantId="t1" onClose={close} /> }],
    '/',
    parts,
  );
  const change = (label: string, value: string) =>
    act(async () => void fireEvent.change(screen.getByLabelText(label), { target: { value } }));
  const press = (name: string) => act(async () => screen.getByRole('button', { name }).click());
  const pressEscape = () =>
    act(async () => void fireEvent.keyDown(screen.getByRole('dialog'), { key: 'Escape', bubbles: true }));
  return { parts, sent, answer, change, press, pressEscape, closed: () => closed };
}

const made = { apiToken: { name: 'Nightly export' }, token: 'fp_secret' } as Made;

test('creates the requested token, shows it until the user is done, and reloads the list', async () => {
  const { parts, sent, answer, change, press, pressEscape, closed } = await dialog();
  await change('Name', 'Nightly export');
  await change('Permissions', 'write');
  await change('Valid for', '30');
  await press('Create');
  expect(sent).toEqual([{ tenantId: 't1', name: 'Nightly export', right: 'write', days: 30 }]);
  await answer.come({ ok: true, value: made });
  expect(screen.getByRole('dialog', { name: 'Copy the token now' }).textContent).toMatch(/fp_secret/);
  expect(parts.queries.getQueryState(apiTokensQuery(parts.api, 't1').queryKey)?.isInvalidated).toBe(true);
  await pressEscape();
  expect([closed(), screen.queryByText('fp_secret') === null]).toEqual([0, false]);
  await press('Done');
  expect(closed()).toBe(1);
});

test('stays open and creates no second token while one is pending', async () => {
  const { sent, answer, change, press, pressEscape, closed } = await dialog();
  await change('Name', 'Nightly export');
  await press('Create');
  await press('Create');
  await press('Cancel');
  await pressEscape();
  expect([sent.length, closed()]).toEqual([1, 0]);
  await answer.come({ ok: true, value: made });
  expect(screen.getByText('fp_secret')).toBeDefined();
});

test('requires a name, and keeps the typed text when it shows an error', async () => {
  const { sent, answer, change, press, closed } = await dialog();
  await change('Name', '  ');
  await press('Create');
  expect([screen.getByRole('alert').textContent, sent]).toEqual(['Name is required', []]);
  await change('Name', 'Nightly export');
  expect(screen.queryByRole('alert')).toBe(null);
  await press('Create');
  await answer.come({ ok: false, error: new FixpointError('LIMIT_REACHED') });
  expect(screen.getByRole('alert').textContent).toMatch(/limit/i);
  expect(screen.getByLabelText<HTMLInputElement>('Name').value).toBe('Nightly export');
  await press('Cancel');
  expect(closed()).toBe(1);
});

test('offers a token that only manages users, and says what it can open', async () => {
  const { sent, change, press } = await dialog();
  await change('Name', 'Back end');
  await change('Permissions', 'users');
  expect(screen.getByLabelText<HTMLSelectElement>('Permissions').selectedOptions[0]?.textContent).toBe(
    'Manage the users of your apps',
  );
  expect(screen.getByText(/^For the back end of an app:/)).toBeDefined();
  await change('Permissions', 'read');
  expect(screen.queryByText(/^For the back end of an app:/)).toBe(null);
  await change('Permissions', 'users');
  await press('Create');
  expect(sent).toEqual([{ tenantId: 't1', name: 'Back end', right: 'users', days: 90 }]);
});
