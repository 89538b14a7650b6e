import { act, cleanup, render, screen } from '@testing-library/react';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { Avatar } from './avatar.tsx';
import { Badge } from './badge.tsx';
import { Progress } from './progress.tsx';
import { Row, RowList } from './row-list.tsx';

afterEach(cleanup);

describe('the progress of a long task', () => {
  const bar = () => screen.getByRole('progressbar', { name: 'Importing' });

  test('shows the numbers, and the share of the total', () => {
    render(<Progress label="Importing" done={1500} of={20_000} noun="rows" />);
    expect(screen.getByRole('status').textContent).toBe('Importing 1,500 of 20,000 rows');
    expect([bar().getAttribute('value'), bar().getAttribute('max')]).toEqual(['1500', '20000']);
  });

  test('shows no share while the total is unknown', () => {
    render(<Progress label="Importing" done={3} />);
    expect(screen.getByRole('status').textContent).toBe('Importing 3 documents');
    expect(bar().hasAttribute('value')).toBe(false);
  });

  test.each([
    [1, undefined, 'Importing 1 document'],
    [0, 1, 'Importing 0 of 1 document'],
    [1, 2, 'Importing 1 of 2 documents'],
  ])('shows %s of %s with the right singular or plural', (done, of, expected) => {
    render(<Progress label="Importing" done={done} of={of} />);
    expect(screen.getByRole('status').textContent).toBe(expected);
  });

  test.each([
    ['more than the total', 7, 5, ['5', '5']],
    ['a total of zero', 0, 0, ['0', '1']],
  ])('stays within its bounds for %s', (_name, done, of, expected) => {
    render(<Progress label="Importing" done={done} of={of} />);
    expect([bar().getAttribute('value'), bar().getAttribute('max')]).toEqual(expected);
  });

  test('can be cancelled if the task can be cancelled', () => {
    const cancel = vi.fn();
    const { rerender } = render(<Progress label="Importing" done={3} onCancel={cancel} />);
    act(() => screen.getByRole('button', { name: 'Cancel' }).click());
    expect(cancel).toHaveBeenCalledTimes(1);
    rerender(<Progress label="Importing" done={3} />);
    expect(screen.queryByRole('button')).toBe(null);
  });
});

describe('a small part of a page', () => {
  test('announces a status only if the status changes by itself', () => {
    render(
      <>
        <Badge live>Syncing</Badge>
        <Badge>Admin</Badge>
      </>,
    );
    expect(screen.getAllByRole('status').map((one) => one.textContent)).toEqual(['Syncing']);
  });

  test('lists rows with a name and actions', () => {
    render(
      <RowList label="Sessions">
        <Row name="Firefox" detail="Berlin">
          <button type="button">Sign out</button>
        </Row>
      </RowList>,
    );
    expect(screen.getByRole('list', { name: 'Sessions' }).textContent).toBe('FirefoxBerlinSign out');
  });

  test('hides initials from screen readers, which read the name next to the initials', () => {
    const { container } = render(<Avatar name="Ada Lovelace" />);
    expect([container.textContent, container.firstElementChild?.getAttribute('aria-hidden')]).toEqual([
      '',
      'true',
    ]);
  });
});
