import { cleanup, render, screen, within } from '@testing-library/react';
import { afterEach, expect, test } from 'vitest';
import { People, PeopleTable, PersonCells } from './people-table.tsx';

afterEach(cleanup);

test('lists people under a heading, each with two facts and actions', () => {
  render(
    <PeopleTable title="Members" used="1 of 5 admins" columns={['role', 'joined']}>
      <People label="Members">
        <PersonCells who="ada@example.com" name="Ada" first="admin" second="24 Oct">
          <button type="button">Remove</button>
        </PersonCells>
      </People>
    </PeopleTable>,
  );
  const part = within(screen.getByRole('region', { name: 'Members' }));
  expect(part.getByText('1 of 5 admins')).toBeDefined();
  const [row] = part.getAllByRole('listitem');
  expect(row?.textContent).toMatch(/Adaada@example\.comadmin24 OctRemove$/);
});

test('hides the headings of columns from screen readers, because each row says the same', () => {
  render(
    <PeopleTable title="Invitations" used={undefined} columns={['status', 'expires']}>
      <p>none</p>
    </PeopleTable>,
  );
  expect(screen.getByText('expires').closest('[aria-hidden]')).not.toBeNull();
});

test('has no headings of columns without a list', () => {
  render(
    <PeopleTable title="Invitations" used={undefined} columns={undefined}>
      <p>none</p>
    </PeopleTable>,
  );
  expect(screen.queryByText('person')).toBeNull();
});

test('shows a detail below the address', () => {
  render(
    <ul>
      <PersonCells who="annie@example.com" detail="Invited 2 days ago" first="pending" second="" />
    </ul>,
  );
  const name = screen.getByTitle('annie@example.com');
  expect(name.parentElement?.parentElement?.textContent).toBe('annie@example.comInvited 2 days ago');
});
