import { act, fireEvent, renderHook, screen } from '@testing-library/react';
import { useState } from 'react';
import { describe, expect, test, vi } from 'vitest';
import { appWith } from '../../../cloud/app.fixture.ts';
import { drawPart } from '../../../cloud/part.fixture.tsx';
import { withPages } from '../../../ui/pages.fixture.tsx';
import { CodeDialog, useCodeTask } from './code-dialog.tsx';

withPages();

const CODE = 'AAAA-BBBB-CCCC';

async function draw(work: () => Promise<void>) {
  const closed = vi.fn();
  function Part() {
    const task = useCodeTask((error) => `It failed: ${(error as Error).message}`);
    const [code, setCode] = useState<string>();
    return (
      <CodeDialog
        {...{ task, code }}
        title="Your code"
        description="It’s shown only once."
        hasCode={code !== undefined}
        onClose={closed}
        actions={
          <>
            <button type="button" onClick={() => setCode(CODE)}>
              Continue
            </button>
            <button type="button" disabled={task.isBusy} onClick={() => void task.run(work)}>
              Save
            </button>
            <button type="button" onClick={task.forget}>
              Back
            </button>
          </>
        }
      >
        <p>What is your name?</p>
      </CodeDialog>
    );
  }
  await drawPart(Part, appWith({}));
  return closed;
}
const press = (name: string) => act(async () => screen.getByRole('button', { name }).click());
const pressEscape = () =>
  act(async () => void fireEvent.keyDown(document.activeElement ?? document.body, { key: 'Escape' }));

describe('a dialog about a recovery code', () => {
  test('shows the code instead of the question', async () => {
    await draw(async () => undefined);
    expect(screen.getByText('What is your name?')).toBeDefined();
    await press('Continue');
    expect(screen.queryByText('What is your name?')).toBeNull();
    expect(screen.getByText(CODE)).toBeDefined();
  });

  test('closes by Escape only before there is a code, which would be lost', async () => {
    const closed = await draw(async () => undefined);
    await pressEscape();
    expect(closed).toHaveBeenCalledTimes(1);
    await press('Continue');
    await pressEscape();
    expect(closed).toHaveBeenCalledTimes(1);
  });

  test('says why a step failed, until the user goes back or the step succeeds', async () => {
    const results = [new Error('offline'), new Error('still offline'), undefined];
    await draw(async () => {
      const result = results.shift();
      if (result !== undefined) throw result;
    });
    await press('Save');
    expect(screen.getByRole('alert').textContent).toBe('It failed: offline');
    await press('Back');
    expect(screen.queryByRole('alert')).toBeNull();
    await press('Save');
    expect(screen.getByRole('alert').textContent).toBe('It failed: still offline');
    await press('Save');
    expect(screen.queryByRole('alert')).toBeNull();
  });

  test('is busy while a step runs', async () => {
    let end: (() => void) | undefined;
    const { result } = renderHook(() => useCodeTask(String));
    let running: Promise<void> | undefined;
    act(() => {
      running = result.current.run(
        () =>
          new Promise((resolve) => {
            end = resolve;
          }),
      );
    });
    expect(result.current.isBusy).toBe(true);
    await act(async () => {
      end?.();
      await running;
    });
    expect(result.current.isBusy).toBe(false);
  });
});
