import { render, screen, within } from '@testing-library/react';
import { afterEach, describe, expect, test } from 'vitest';
import { ActionRow, ActionsCard, Columns, SettingRow, SettingRows } from './settings.tsx';

afterEach(() => void document.body.replaceChildren());

describe('the rows of a card of settings', () => {
  test('pairs each name with its value, note and actions', () => {
    render(
      <SettingRows>
        <SettingRow name="Name" note="It can’t change." actions={<button type="button">Copy</button>}>
          pantry
        </SettingRow>
        <SettingRow name="Size">3 MB</SettingRow>
      </SettingRows>,
    );
    expect(screen.getAllByRole('term').map(({ textContent }) => textContent)).toEqual(['Name', 'Size']);
    const [first, second] = screen.getAllByRole('definition');
    expect(first?.textContent).toBe('pantryCopyIt can’t change.');
    expect(within(first as HTMLElement).getByRole('button', { name: 'Copy' })).toBeDefined();
    // Without a note and actions, nothing else takes space.
    expect([second?.textContent, second?.querySelector('p'), second?.querySelector('button')]).toEqual([
      '3 MB',
      null,
      null,
    ]);
  });

  test('is a valid definition list: only groups in the list, only terms and values in a group', () => {
    render(
      <SettingRows>
        <SettingRow name="Name">pantry</SettingRow>
      </SettingRows>,
    );
    const list = screen.getByRole('term').closest('dl');
    expect([...(list?.children ?? [])].map(({ tagName }) => tagName)).toEqual(['DIV']);
    expect([...(list?.firstElementChild?.children ?? [])].map(({ tagName }) => tagName)).toEqual([
      'DT',
      'DD',
    ]);
  });
});

test('shows actions with what they do, and an action that isn’t possible without a button', () => {
  render(
    <ActionsCard label="Disconnect or delete">
      <ActionRow title="Disconnect" text="Both copies stay.">
        <button type="button">Disconnect</button>
      </ActionRow>
      <ActionRow title="Delete Database" text="Unlock the database first." />
    </ActionsCard>,
  );
  const card = within(screen.getByRole('region', { name: 'Disconnect or delete' }));
  expect(card.getAllByRole('listitem').map(({ textContent }) => textContent)).toEqual([
    'DisconnectBoth copies stay.Disconnect',
    'Delete DatabaseUnlock the database first.',
  ]);
  expect(card.getAllByRole('button')).toHaveLength(1);
  expect(card.getAllByRole('heading', { level: 3 })).toHaveLength(2);
});

test('reads the first column before the second one', () => {
  render(<Columns aside={<p>second</p>}>{<p>first</p>}</Columns>);
  expect(document.body.textContent).toBe('firstsecond');
});
