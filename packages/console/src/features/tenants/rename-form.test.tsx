import { act, fireEvent, screen } from '@testing-library/react';
import { useState } from 'react';
import { describe, expect, test } from 'vitest';
import { drawPages, withPages } from '../../ui/pages.fixture.tsx';
import { RenameForm } from './rename-form.tsx';

withPages();

/** Renders a tenant that other admins rename too. */
async function page() {
  let rename: (name: string) => void = () => undefined;
  function Page() {
    const [name, setName] = useState('Acme');
    rename = setName;
    return <RenameForm name={name} outcome={undefined} />;
  }
  await drawPages([{ path: '/', Component: Page }], '/');
  const field = screen.getByRole<HTMLInputElement>('textbox', { name: 'Name' });
  return {
    field,
    type: (value: string) => act(async () => void fireEvent.change(field, { target: { value } })),
    renamed: (name: string) => act(async () => rename(name)),
  };
}

test('keeps the typed text when another admin renames the tenant', async () => {
  const { field, type, renamed } = await page();
  await type('Acme and ');
  field.focus();
  await renamed('Beta');
  expect([field.isConnected, field.value, document.activeElement]).toEqual([true, 'Acme and ', field]);
});

test('shows the current name when nothing is typed, and after a save', async () => {
  const { field, type, renamed } = await page();
  await renamed('Beta');
  expect(field.value).toBe('Beta');
  await type(' Gamma ');
  await renamed('Gamma');
  expect(field.value).toBe('Gamma');
  await renamed('Delta');
  expect(field.value).toBe('Delta');
});

describe('the outcome of a rename', () => {
  const drawn = (outcome: Parameters<typeof RenameForm>[0]['outcome'], isQuiet = false) =>
    drawPages(
      [
        {
          path: '/',
          Component: () => <RenameForm name="Acme" {...{ outcome, isQuiet }} hint="At least 3." />,
        },
      ],
      '/',
    );
  const field = () => screen.getByRole<HTMLInputElement>('textbox', { name: 'Name' });

  test('is announced once the name was saved', async () => {
    await drawn({ error: undefined, done: true });
    expect(screen.getByRole('status').textContent).toBe('Updated.');
    expect(field().getAttribute('aria-invalid')).toBe('false');
  });

  test('is shown below the field if the server rejected the name, which gets the focus', async () => {
    await drawn({ error: 'conflict: Acme', done: false });
    expect(screen.getByRole('alert').textContent).toBe('conflict: Acme');
    expect([field().getAttribute('aria-invalid'), document.activeElement]).toEqual(['true', field()]);
    expect(screen.getByRole('status').textContent).toBe('');
  });

  test('keeps the hint as the description of the field', async () => {
    await drawn(undefined, true);
    const id = field().getAttribute('aria-describedby') ?? '';
    expect(document.getElementById(id)?.textContent).toBe('At least 3.');
    expect(screen.queryByRole('alert')).toBeNull();
  });
});
