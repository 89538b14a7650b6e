// @vitest-environment happy-dom
import { act, screen } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { Form, SubmitButton } from './form.tsx';
import { tellIfLeft } from './left-form.ts';
import { drawPages, pageCalled, waiting, withPages } from './pages.fixture.tsx';

withPages();

async function sendAndLeave(isLeft: boolean, isRefused: boolean): Promise<void> {
  vi.spyOn(console, 'error').mockReturnValue(undefined);
  const answer = waiting<void>();
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
          await answer.promise;
          if (isRefused) tellIfLeft(request, 'The tenant was not created: no room', { tone: 'error' });
          else tellIfLeft(request, 'Acme is created.');
          return null;
        },
      },
      { path: '/other', Component: pageCalled('Other') },
    ],
    '/new',
  );
  const button = screen.getByRole<HTMLButtonElement>('button', { name: 'Create' });
  await act(async () => button.form?.requestSubmit(button));
  if (isLeft) await go('/other');
  await answer.come();
}

test.each([
  ['who left is told that it is done', true, false, 'Acme is created.'],
  ['who left is told why it was refused', true, true, 'The tenant was not created: no room'],
  ['who stayed reads on the page why it was refused', false, true, undefined],
  ['who stayed is led on', false, false, undefined],
])('%s', async (_who, isLeft, isRefused, said) => {
  await sendAndLeave(isLeft, isRefused);
  const { textContent } = screen.getByRole('region', { name: 'Messages' });
  expect(textContent).toBe(said ?? '');
});
