import { act, fireEvent, screen } from '@testing-library/react';
import { describe, expect, test, vi } from 'vitest';
import { takeConfirmed } from '../../local/confirmed-connection.ts';
import { drawPages, withPages } from '../../ui/pages.fixture.tsx';
import { AddressForm, AGREED } from './address-form.tsx';

withPages();

interface Given {
  readonly address?: string;
  readonly error?: string;
  readonly shared?: string;
}

async function form({ address = '', error, shared }: Given = {}) {
  const given = new URLSearchParams(address);
  const Page = () => <AddressForm given={given} error={error} shared={shared} />;
  const pages = await drawPages(
    [
      { path: '/', Component: Page },
      { path: '/fp/databases/connect', Component: () => <h1>Connecting</h1> },
    ],
    '/',
  );
  const field = (name: string) => screen.getByLabelText<HTMLInputElement>(name);
  const type = (name: string, value: string) =>
    act(async () => void fireEvent.change(field(name), { target: { value } }));
  const press = (name: string) => act(async () => screen.getByRole('button', { name }).click());
  return { ...pages, field, type, press };
}

describe('the form that connects a database by its address', () => {
  test('puts the typed values into the address, which users can share', async () => {
    const { type, press, path } = await form();
    await type('Local name', 'pantry');
    await type('Endpoint', 'fpcloud://host');
    await press('Connect');
    const { searchParams } = new URL(path(), 'http://localhost');
    expect(Object.fromEntries(searchParams)).toEqual({
      localName: 'pantry',
      remoteName: '',
      endpoint: 'fpcloud://host',
    });
  });

  test('fills the fields with the values from the address', async () => {
    const { field } = await form({ address: 'localName=pantry&remoteName=team&endpoint=fpcloud://host' });
    expect(['Local name', 'Remote name', 'Endpoint'].map((name) => field(name).value)).toEqual([
      'pantry',
      'team',
      'fpcloud://host',
    ]);
  });

  test('reports a missing name at its field only', async () => {
    const { field } = await form({ error: 'Local name is required' });
    expect(field('Local name').getAttribute('aria-invalid')).toBe('true');
    expect(screen.getAllByText('Local name is required').length).toBe(1);
    expect(screen.queryByText('Error:')).toBeNull();
  });

  test('shows any other error above the fields', async () => {
    const { field } = await form({ error: 'the storage is full' });
    expect(screen.getByRole('alert').textContent).toContain('the storage is full');
    expect(field('Local name').getAttribute('aria-invalid')).not.toBe('true');
  });

  test('asks before two names share a database, and agrees only when the user presses "Connect anyway"', async () => {
    const { press, path } = await form({ address: 'localName=a', shared: 'It is the same database.' });
    expect(screen.getByRole('alert').textContent).toContain(
      'It is the same database. Choose another name, or connect anyway.',
    );
    await press('Connect anyway');
    const { searchParams } = new URL(path(), 'http://localhost');
    expect(searchParams.get(AGREED)).toBe('yes');
    const asked = { localName: 'a', remoteName: 'a', endpoint: '' };
    expect([takeConfirmed(asked), takeConfirmed(asked)]).toEqual([
      { asked: expect.anything(), shares: true },
      {},
    ]);
  });

  test('doesn’t agree when the user corrects the name instead', async () => {
    const { type, press, path } = await form({ address: 'localName=a', shared: 'It is the same database.' });
    await type('Local name', 'b');
    await press('Connect');
    const { searchParams } = new URL(path(), 'http://localhost');
    expect([searchParams.get('localName'), searchParams.has(AGREED)]).toEqual(['b', false]);
  });

  test('doesn’t offer to connect anyway if no names share a database', async () => {
    await form();
    expect(screen.queryByRole('button', { name: 'Connect anyway' })).toBeNull();
  });

  test('works in a browser that doesn’t list its databases', async () => {
    vi.stubGlobal('indexedDB', undefined);
    const { field } = await form();
    expect(field('Local name').list?.options.length).toBe(0);
  });
});
