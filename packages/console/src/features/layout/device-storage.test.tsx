import { act, cleanup, render, screen } from '@testing-library/react';
import { afterEach, expect, test, vi } from 'vitest';
import { DeviceStorage } from './device-storage.tsx';

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

const estimating = (...answers: (StorageEstimate | Error)[]) =>
  vi.stubGlobal('navigator', {
    storage: {
      estimate: async () => {
        const answer = answers.shift();
        if (answer instanceof Error) throw answer;
        return answer;
      },
    },
  });
const shown = () => screen.queryByRole('region', { name: 'Storage on this device' })?.textContent;

test('shows the used storage, and updates it when the user returns', async () => {
  estimating({ usage: 38_000_000, quota: 2e9 }, { usage: 50_000_000, quota: 2e9 });
  await act(async () => void render(<DeviceStorage />));
  expect(shown()).toBe('On this device38 MB of 2 GB');
  await act(async () => void window.dispatchEvent(new Event('focus')));
  expect(shown()).toBe('On this device50 MB of 2 GB');
});

test('follows what is stored while the page is visible, as during an import', async () => {
  vi.useFakeTimers();
  estimating({ usage: 1e6, quota: 2e9 }, { usage: 90_000_000, quota: 2e9 });
  await act(async () => void render(<DeviceStorage />));
  expect(shown()).toBe('On this device1 MB of 2 GB');
  await act(() => vi.advanceTimersByTimeAsync(5000));
  expect(shown()).toBe('On this device90 MB of 2 GB');
  cleanup();
  expect(vi.getTimerCount()).toBe(0);
});

test.each([
  ['fails', new Error('not allowed')],
  ['reports no quota', { usage: 5 }],
])('shows nothing if the estimate %s', async (_, answer) => {
  estimating(answer);
  await act(async () => void render(<DeviceStorage />));
  expect(shown()).toBeUndefined();
});

test('shows nothing in browsers without an estimate', async () => {
  vi.stubGlobal('navigator', {});
  await act(async () => void render(<DeviceStorage />));
  expect(shown()).toBeUndefined();
});
