import { act, cleanup, render, screen } from '@testing-library/react';
import { afterEach, expect, test, vi } from 'vitest';
import { Toaster } from './toaster.tsx';
import { useTask } from './use-task.ts';

afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
});

function Button({ work }: { work: () => Promise<unknown> }) {
  const { isBusy, run } = useTask();
  return (
    <button type="button" disabled={isBusy} onClick={() => void run('Couldn’t save the query', work)}>
      Save
    </button>
  );
}

function draw(work: () => Promise<unknown>) {
  render(
    <Toaster>
      <Button work={work} />
    </Toaster>,
  );
  const button = screen.getByRole<HTMLButtonElement>('button', { name: 'Save' });
  return { button, press: () => act(async () => button.click()) };
}

test('is busy until the work is done', async () => {
  const work: { end?: () => void } = {};
  const { button, press } = draw(
    () =>
      new Promise<void>((resolve) => {
        work.end = resolve;
      }),
  );
  expect(button.disabled).toBe(false);
  await press();
  expect(button.disabled).toBe(true);
  await act(async () => work.end?.());
  expect([button.disabled, screen.queryByRole('alert')]).toEqual([false, null]);
});

test('says why the work failed, and can run again', async () => {
  vi.spyOn(console, 'error').mockImplementation(() => undefined);
  const { button, press } = draw(() => Promise.reject(new Error('the disk is full')));
  await press();
  expect(screen.getByText('Couldn’t save the query: the disk is full')).toBeDefined();
  expect(button.disabled).toBe(false);
});
