import { describe, expect, test } from 'vitest';
import { createBackground } from './background.ts';

describe('background work', () => {
  test('runs after the caller has continued', async () => {
    const { run, settled } = createBackground(() => undefined);
    const steps: string[] = [];
    run(async () => void steps.push('work'));
    steps.push('caller');
    await settled();
    expect(steps).toEqual(['caller', 'work']);
  });

  test('reports failures, including synchronous ones, and never rejects', async () => {
    const faults: unknown[] = [];
    const { run, settled } = createBackground((cause) => void faults.push(cause));
    run(() => Promise.reject(new Error('later')));
    run(() => {
      throw new Error('at once');
    });
    await expect(settled()).resolves.toBeUndefined();
    expect(faults).toHaveLength(2);
  });

  test('settles only after all work has finished, including work that other work started', async () => {
    const { run, settled } = createBackground(() => undefined);
    const ended: number[] = [];
    run(async () => {
      run(async () => {
        await Promise.resolve();
        ended.push(2);
      });
      ended.push(1);
    });
    await settled();
    expect(ended).toEqual([1, 2]);
  });
});
