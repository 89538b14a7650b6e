import { act, cleanup, render, screen } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { Toaster } from '../overlays/toaster.tsx';
import { CodeBlock } from './code-block.tsx';
import { CopyButton } from './copy-button.tsx';
import { Keys } from './kbd.tsx';
import { dayOf, timeOf } from './moment.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  cleanup();
  vi.useRealTimers();
  vi.restoreAllMocks();
});

describe('the button that copies a text', () => {
  const button = () => screen.getByRole('button');
  const press = () => act(async () => button().click());

  function draw(write: (text: string) => Promise<void>) {
    vi.spyOn(navigator.clipboard, 'writeText').mockImplementation(write);
    render(
      <Toaster>
        <CopyButton text="secret" label="Copy token" />
      </Toaster>,
    );
  }

  test('confirms the copy for two seconds after the last press', async () => {
    const copied: string[] = [];
    draw(async (text) => void copied.push(text));
    await press();
    expect([copied, button().textContent]).toEqual([['secret'], 'Copied']);
    act(() => vi.advanceTimersByTime(1999));
    expect(button().textContent).toBe('Copied');
    act(() => vi.advanceTimersByTime(1));
    expect(button().textContent).toBe('Copy token');
  });

  test('announces the copy to screen readers', () => {
    draw(async () => undefined);
    expect(screen.getByText('Copy token').getAttribute('aria-live')).toBe('polite');
  });

  test('explains how to copy the text when the browser blocks the copy', async () => {
    vi.spyOn(console, 'error').mockReturnValue(undefined);
    draw(() => Promise.reject(new Error('denied')));
    await press();
    expect(screen.getByRole('alert').textContent).toMatch(/Select the text and copy it yourself/);
    expect(screen.queryByText('Copied')).toBe(null);
  });
});

test('shows code that the keyboard can scroll, with its label', () => {
  render(<CodeBlock label="app.ts" text="<script>" />);
  expect(screen.getByRole('figure').querySelector('figcaption')?.textContent).toBe('app.ts');
  expect(screen.getByText('<script>').tabIndex).toBe(0);
});

test('shows keys that are pressed together, and keys that are pressed one after the other', () => {
  const { container } = render(<Keys strokes={[['Ctrl', 'K'], ['G']]} />);
  expect([...container.querySelectorAll('kbd')].map((key) => key.textContent)).toEqual(['Ctrl', 'K', 'G']);
  expect(container.textContent).toBe('CtrlKthenG');
});

describe('a date', () => {
  test('is shown in the language of the browser, with or without the time', () => {
    const text = '2026-11-25T12:34:56Z';
    expect(dayOf(text)).toMatch(/2026/);
    expect(dayOf(text)).not.toMatch(/:/);
    expect(timeOf(text)).toMatch(/2026.*:34/);
  });

  test('shows a text that isn’t a date unchanged', () => {
    expect([dayOf('yesterday'), timeOf('')]).toEqual(['yesterday', '']);
  });
});
