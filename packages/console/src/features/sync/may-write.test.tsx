import { FixpointError } from '@fixpoint/protocol';
import type { Right } from '@fixpoint/protocol/admin';
import { act, screen } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { appWith } from '../../cloud/app.fixture.ts';
import { LEDGERS_KEY } from '../../cloud/app.ts';
import { drawPart } from '../../cloud/part.fixture.tsx';
import { withPages } from '../../ui/pages.fixture.tsx';
import { attachedWith } from '../keys/attached.fixture.ts';
import { useMayWrite } from './sync-badge.tsx';

withPages();

async function drawn(right: Right | undefined) {
  const { attached, become } = attachedWith();
  const given = Promise.resolve(attached);
  const app = appWith({});
  const refetched = vi.spyOn(app.queries, 'invalidateQueries');
  const Part = () => <p role="note">{useMayWrite(right, given) ? 'writes' : 'reads'}</p>;
  await drawPart(Part, app);
  await act(async () => void (await given));
  return { become, refetched, text: () => screen.getByRole('note').textContent };
}

test.each([
  ['write', 'writes'],
  [undefined, 'writes'],
  ['read', 'reads'],
] as const)('takes the right %s from the list of ledgers', async (right, expected) => {
  const { text, refetched } = await drawn(right);
  expect([text(), refetched.mock.calls]).toEqual([expected, []]);
});

test('stops offering writes when the server rejects one, and refetches the list', async () => {
  const { become, refetched, text } = await drawn('write');
  await become({ state: 'refused', toSend: 1, error: new FixpointError('FORBIDDEN') });
  expect([text(), refetched.mock.calls]).toEqual(['reads', [[{ queryKey: LEDGERS_KEY }]]]);
  await become({ state: 'in-sync', toSend: 0, error: undefined } as object);
  expect(text()).toBe('writes');
});

test.each([
  ['a lost connection', new FixpointError('FETCH')],
  ['a rejection with another reason', new FixpointError('FORBIDDEN', 'the ledger was moved')],
])('offers writes after %s', async (_what, error) => {
  const { become, refetched, text } = await drawn('write');
  await become({ state: 'refused', error });
  expect([text(), refetched.mock.calls]).toEqual(['writes', []]);
});
