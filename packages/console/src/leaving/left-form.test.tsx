import { act, screen, waitFor } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { Form, SubmitButton } from '../ui/forms/form.tsx';
import { drawPages, pageCalled, waiting, withPages } from '../ui/pages.fixture.tsx';
import { tellIfLeft } from './left-form.ts';

withPages();

async function sendAndLeave(isLeft: boolean, isRefused: boolean): Promise<void> {
  vi.spyOn(console, 'error').mockReturnValue(undefined);
  const answer = waiting<void>();
  let [isAsked, isOver] = [false, false];
  const { go } = await drawPages(
    [
      {
        path: '/new',
        Component: () => (
          <Form method="post">
            <SubmitButton>Create</SubmitButton>
          </Form>
        ),
        action: async ({ request }) => {
          isAsked = true;
          await answer.promise;
          isOver = true;
          if (isRefused) tellIfLeft(request, 'Couldn’t create the tenant: no room', { tone: 'error' });
          else tellIfLeft(request, 'Acme created.');
          return null;
        },
      },
      { path: '/other', Component: pageCalled('Other') },
    ],
    '/new',
  );
  const button = screen.getByRole<HTMLButtonElement>('button', { name: 'Create' });
  await act(async () => button.form?.requestSubmit(button));
  await waitFor(() => expect(isAsked).toBe(true));
  if (isLeft) {
    await go('/other');
    await screen.findByRole('heading', { name: 'Other' });
  }
  await answer.come();
  await waitFor(() => expect(isOver).toBe(true));
}

test.each([
  ['shows the success to users who left the page', true, false, 'Acme created.'],
  ['shows the rejection to users who left the page', true, true, 'Couldn’t create the tenant: no room'],
  ['shows no message about a rejection to users who stayed', false, true, undefined],
  ['shows no message about success to users who stayed', false, false, undefined],
])('%s', async (_who, isLeft, isRefused, said) => {
  await sendAndLeave(isLeft, isRefused);
  const messages = screen.getByRole('region', { name: 'Messages' });
  await waitFor(() => expect(messages.textContent).toBe(said ?? ''));
});
