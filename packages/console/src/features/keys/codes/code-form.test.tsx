import { FixpointError } from '@fixpoint/protocol';
import { act, fireEvent, screen } from '@testing-library/react';
import { expect, test } from 'vitest';
import { drawPages, withPages } from '../../../ui/pages.fixture.tsx';
import { CodeForm } from './code-form.tsx';

withPages();

/** Renders the form; each sent code waits until the test settles it. */
async function form() {
  const sent: string[] = [];
  let end: (error?: Error) => Promise<void> = async () => undefined;
  const onCode = (code: string) => {
    sent.push(code);
    return new Promise<void>((resolve, reject) => {
      end = (error) => act(async () => (error === undefined ? resolve() : reject(error)));
    });
  };
  await drawPages(
    [
      {
        path: '/',
        Component: () => <CodeForm label="Code of the device" action="Approve device" onCode={onCode} />,
      },
    ],
    '/',
  );
  const field = screen.getByLabelText<HTMLInputElement>('Code of the device');
  const button = screen.getByRole<HTMLButtonElement>('button', { name: 'Approve device' });
  return {
    field,
    button,
    sent,
    type: (value: string) => act(async () => void fireEvent.change(field, { target: { value } })),
    send: () => act(async () => button.click()),
    end: (error?: Error) => end(error),
  };
}

test('sends a code once, without surrounding spaces, and clears the field when it is accepted', async () => {
  const { field, button, sent, type, send, end } = await form();
  expect(button.disabled).toBe(true);
  await type('   ');
  expect(button.disabled).toBe(true);
  await type(' ABCDE-12345 ');
  await send();
  expect([sent, button.disabled, field.value]).toEqual([['ABCDE-12345'], true, ' ABCDE-12345 ']);
  await end();
  expect(field.value).toBe('');
});

test('keeps a code typed while the previous one is checked', async () => {
  const { field, button, type, send, end } = await form();
  await type('ABCDE-12345');
  await send();
  await type('FGHIJ-67890');
  await end();
  expect([field.value, button.disabled]).toEqual(['FGHIJ-67890', false]);
});

test.each([
  ['REQUEST_INVALID', /isn’t valid/],
  ['NOT_FOUND', /No device with this code is waiting/],
  ['KEY_UNKNOWN', /doesn’t open this database/],
  ['FETCH', /fetch error/],
] as const)(
  'keeps a code that was rejected with %s so that it can be fixed, and shows the reason',
  async (code, why) => {
    const { field, button, type, send, end } = await form();
    await type('ABCDE-12345');
    await send();
    await end(new FixpointError(code));
    expect(screen.getByRole('alert').textContent).toMatch(why);
    expect([field.value, button.disabled]).toEqual(['ABCDE-12345', false]);
    await send();
    expect(screen.queryByRole('alert')).toBe(null);
  },
);
