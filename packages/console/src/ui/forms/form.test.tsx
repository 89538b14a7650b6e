import { act, screen, waitFor } from '@testing-library/react';
import { expect, test } from 'vitest';
import { drawPages, type Waiting, waiting, withPages } from '../pages.fixture.tsx';
import { Form, SubmitButton } from './form.tsx';

withPages();

test('submits a form only once until the answer arrives, even if Enter is pressed again, and then allows the next submission', async () => {
  const sent: string[] = [];
  const answers: Waiting<void>[] = [];
  await drawPages(
    [
      {
        path: '/new',
        Component: () => (
          <Form method="post">
            <input name="name" defaultValue="Acme" />
            <SubmitButton name="how" value="quickly">
              Create
            </SubmitButton>
          </Form>
        ),
        action: async ({ request }) => {
          const form = await request.formData();
          sent.push(`${String(form.get('name'))} ${String(form.get('how'))}`);
          const answer = waiting<void>();
          answers.push(answer);
          await answer.promise;
          return null;
        },
      },
    ],
    '/new',
  );
  const button = screen.getByRole<HTMLButtonElement>('button', { name: 'Create' });
  const { form } = button;
  if (form === null) throw new Error('the button is in no form');
  const enter = () => form.requestSubmit(button);
  // Presses Enter twice in one task, so that nothing renders in between.
  await act(async () => {
    enter();
    enter();
  });
  await waitFor(() => expect(answers.length).toBe(1));
  await act(async () => enter());
  expect(sent).toEqual(['Acme quickly']);
  await answers[0]?.come();
  await waitFor(() => expect(button.disabled).toBe(false));
  await act(async () => enter());
  await waitFor(() => expect(answers.length).toBe(2));
  expect(sent).toEqual(['Acme quickly', 'Acme quickly']);
  await answers[1]?.come();
});
