import { act, fireEvent, screen, waitFor } from '@testing-library/react';
import { data } from 'react-router';
import { describe, expect, test } from 'vitest';
import { drawPages, pageCalled, withPages } from '../pages.fixture.tsx';
import { CancelButton, Checkbox, Form, FormPage, SubmitButton, TextField, textOf } from './form.tsx';
import { Select } from './select.tsx';

withPages();

const field = (name: string) => screen.getByLabelText<HTMLInputElement>(name);
const type = (name: string, value: string) =>
  act(async () => void fireEvent.input(field(name), { target: { value } }));
/** Returns the texts that screen readers read with a field. */
const descriptionOf = (name: string) =>
  (field(name).getAttribute('aria-describedby') ?? '')
    .split(' ')
    .filter(Boolean)
    .map((id) => document.getElementById(id)?.textContent);

const draw = (element: React.ReactNode) => drawPages([{ path: '/', element }], '/');

describe('a text field', () => {
  test('has its hint and its error as its description for screen readers', async () => {
    await draw(
      <form>
        <TextField label="Name" hint="At least 3 characters." error="Already taken." />
      </form>,
    );
    expect(descriptionOf('Name')).toEqual(['Already taken.', 'At least 3 characters.']);
    expect(field('Name').getAttribute('aria-invalid')).toBe('true');
    expect(screen.getByRole('alert').textContent).toBe('Already taken.');
  });

  test('is valid and has no description without hint and error', async () => {
    await draw(<TextField label="Name" />);
    expect([field('Name').getAttribute('aria-invalid'), descriptionOf('Name')]).toEqual(['false', []]);
  });

  test.each([
    ['an empty value', { required: true }, 'Name is required'],
    [
      'an incomplete address',
      { type: 'email', defaultValue: 'ada' },
      'Enter a complete email address, such as name@example.com.',
    ],
  ])('says why the browser rejects %s', async (_name, properties, expected) => {
    await draw(
      <form>
        <TextField label="Name" {...properties} />
      </form>,
    );
    await act(async () => void field('Name').form?.checkValidity());
    expect(screen.getByRole('alert').textContent).toBe(expected);
  });

  test('forgets the rejection once the text is valid', async () => {
    await draw(
      <form>
        <TextField label="Name" required />
      </form>,
    );
    await act(async () => void field('Name').form?.checkValidity());
    await type('Name', 'Acme');
    expect(screen.queryByRole('alert')).toBe(null);
    expect(field('Name').getAttribute('aria-invalid')).toBe('false');
  });

  test('is only marked as invalid, without a message, if it is quiet', async () => {
    await draw(
      <form>
        <TextField label="Name" required isQuiet />
      </form>,
    );
    await act(async () => void field('Name').form?.checkValidity());
    expect([field('Name').getAttribute('aria-invalid'), screen.queryByRole('alert')]).toEqual(['true', null]);
  });
});

describe('a form that is a page', () => {
  async function page(answer: (name: string) => unknown) {
    const sent: string[] = [];
    function Page() {
      return (
        <FormPage title="New tenant" error="The server is busy.">
          <TextField name="name" label="Name" error="Already taken." />
          <TextField name="other" label="Other" />
          <SubmitButton>Create</SubmitButton>
          <CancelButton home="/home" />
        </FormPage>
      );
    }
    const drawn = await drawPages(
      [
        {
          path: '/new',
          Component: Page,
          action: async ({ request }) => {
            const name = textOf(await request.formData(), 'name');
            sent.push(name);
            return answer(name);
          },
        },
        { path: '/home', Component: pageCalled('Home') },
      ],
      '/new',
    );
    return { sent, ...drawn };
  }

  test('sends the trimmed text, and gives the focus to the field that the server rejected', async () => {
    const { sent } = await page(() => data({}, { status: 400 }));
    field('Other').focus();
    await type('Name', '  Acme ');
    await act(async () => screen.getByRole('button', { name: 'Create' }).click());
    await waitFor(() => expect(sent).toEqual(['Acme']));
    await waitFor(() => expect(document.activeElement).toBe(field('Name')));
  });

  test('shows a rejection that doesn’t belong to a single field', async () => {
    await page(() => null);
    const alerts = screen.getAllByRole('alert').map((one) => one.textContent);
    expect(alerts).toEqual(['Error: The server is busy.', 'Already taken.']);
  });

  test('leads to the home page on Cancel if it was the first page', async () => {
    const { path } = await page(() => null);
    await act(async () => screen.getByRole('button', { name: 'Cancel' }).click());
    await waitFor(() => expect(path()).toBe('/home'));
  });
});

describe('other fields', () => {
  test('reads a missing field, and a file in its place, as an empty text', () => {
    const form = new FormData();
    form.set('name', new File(['x'], 'x.txt'));
    expect([textOf(form, 'name'), textOf(form, 'missing')]).toEqual(['', '']);
  });

  test('gives a select list its label for screen readers, whether the label is visible or not', async () => {
    await draw(
      <>
        <Select label="Role" isLabelled>
          <option>admin</option>
        </Select>
        <Select label="Sort">
          <option>name</option>
        </Select>
      </>,
    );
    expect(screen.getAllByRole('combobox').map((one) => one.getAttribute('aria-label'))).toEqual([
      'Role',
      'Sort',
    ]);
    expect([screen.queryByText('Role') !== null, screen.queryByText('Sort') !== null]).toEqual([true, false]);
  });

  test('toggles a checkbox with a click on its text', async () => {
    await draw(
      <Form>
        <Checkbox label="Send me emails" name="emails" />
      </Form>,
    );
    await act(async () => screen.getByText('Send me emails').click());
    expect(screen.getByRole<HTMLInputElement>('checkbox', { name: 'Send me emails' }).checked).toBe(true);
  });
});
