import { FixpointError, type Result } from '@fixpoint/protocol';
import { useQuery } from '@tanstack/react-query';
import { act, screen, waitFor } from '@testing-library/react';
import { expect, test } from 'vitest';
import { drawPages, pageCalled, type Waiting, waiting, withPages } from '../../ui/pages.fixture.tsx';
import { useCall } from './use-call.ts';

withPages();

async function page() {
  const calls: Waiting<Result<string>>[] = [];
  const ended: string[] = [];
  function Page() {
    const remove = useCall({
      call: () => {
        const answer = waiting<Result<string>>();
        calls.push(answer);
        return answer.promise;
      },
      changes: [],
      onDone: (_answer, _input, visit) => {
        ended.push(visit.isOver() ? 'elsewhere' : 'here');
        return visit.leadTo('/done');
      },
    });
    return (
      <button type="button" disabled={remove.isPending} onClick={() => remove.mutate(undefined)}>
        Delete
      </button>
    );
  }
  const drawn = await drawPages(
    [
      { path: '/', Component: Page },
      { path: '/done', Component: pageCalled('Done') },
      { path: '/other', Component: pageCalled('Other') },
    ],
    '/',
  );
  const button = screen.getByRole<HTMLButtonElement>('button', { name: 'Delete' });
  return { ...drawn, calls, ended, button };
}

const DONE = { ok: true, value: 'gone' } as const;

test('makes one call for two clicks before a render, and allows the next call afterwards', async () => {
  const { button, calls, go } = await page();
  await act(async () => {
    button.click();
    button.click();
  });
  await waitFor(() => expect(button.disabled).toBe(true));
  expect(calls.length).toBe(1);
  await go('/other');
  await calls[0]?.come(DONE);
  await go('/');
  const next = await screen.findByRole('button', { name: 'Delete' });
  await act(async () => next.click());
  expect(calls.length).toBe(2);
});

test('allows another attempt after a rejection', async () => {
  const { button, calls } = await page();
  await act(async () => button.click());
  await calls[0]?.come({ ok: false, error: new FixpointError('FETCH') });
  await screen.findByRole('alert');
  await waitFor(() => expect(button.disabled).toBe(false));
  await act(async () => button.click());
  expect(calls.length).toBe(2);
});

test('notifies users who left the page during the call, and doesn’t navigate', async () => {
  const { button, calls, ended, go, path } = await page();
  await act(async () => button.click());
  await go('/other');
  await calls[0]?.come(DONE);
  await waitFor(() => expect(ended).toEqual(['elsewhere']));
  expect(path()).toBe('/other');
});

test('shows the message at once, but navigates and allows the next call only after the refetch', async () => {
  const calls: Waiting<Result<string>>[] = [];
  const asked: Waiting<string>[] = [];
  const heard: string[] = [];
  function Page() {
    const list = useQuery({
      queryKey: ['list'],
      queryFn: () => {
        const answer = waiting<string>();
        asked.push(answer);
        return answer.promise;
      },
    });
    const remove = useCall({
      call: () => {
        const answer = waiting<Result<string>>();
        calls.push(answer);
        return answer.promise;
      },
      changes: [['list']],
      onDone: (value) => void heard.push(value),
      onFresh: (value, visit) => {
        heard.push(`${value} from the list`);
        return visit.leadTo('/done');
      },
    });
    return (
      <>
        <p>{list.data}</p>
        <button
          type="button"
          disabled={remove.isPending}
          onClick={() => remove.mutate(undefined, { onSettled: () => void heard.push('dialog closed') })}
        >
          Delete
        </button>
      </>
    );
  }
  const { path } = await drawPages(
    [
      { path: '/', Component: Page },
      { path: '/done', Component: pageCalled('Done') },
    ],
    '/',
  );
  await asked[0]?.come('before');
  const button = await screen.findByRole<HTMLButtonElement>('button', { name: 'Delete' });
  const click = () => act(async () => button.click());
  await click();
  await calls[0]?.come(DONE);
  await waitFor(() => expect(heard).toEqual(['gone', 'dialog closed']));
  expect([asked.length, button.disabled, path()]).toEqual([2, true, '/']);
  button.disabled = false;
  await click();
  expect(calls.length).toBe(1);
  await asked[1]?.come('after');
  await waitFor(() => expect(path()).toBe('/done'));
  expect(heard).toEqual(['gone', 'dialog closed', 'gone from the list']);
});
