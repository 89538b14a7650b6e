import { afterEach, expect, test, vi } from 'vitest';

afterEach(() => vi.resetModules());

/** Loads the module again, because the module remembers the page of an earlier test. */
const inWorker = async (tell: (storageName: string, isWritten: boolean) => void) => {
  const marks = await import('./written-mark.ts');
  return { ...marks, told: marks.keepMarksWithPage(tell) };
};

test('notifies the page once of each mark that a worker sets or removes', async () => {
  const tell = vi.fn();
  const { wasWritten, rememberWritten, forgetWritten } = await inWorker(tell);
  expect(wasWritten('a')).toBe(false);
  for (const change of [rememberWritten, rememberWritten, forgetWritten, forgetWritten]) change('a');
  expect(tell.mock.calls).toEqual([
    ['a', true],
    ['a', false],
  ]);
});

test('applies marks that the page sends to a worker, and the removal of a mark', async () => {
  const { wasWritten, told } = await inWorker(() => undefined);
  told('a', true);
  expect([wasWritten('a'), wasWritten('b')]).toEqual([true, false]);
  told('a', false);
  expect(wasWritten('a')).toBe(false);
});
