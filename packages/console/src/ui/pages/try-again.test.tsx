import { act, cleanup, render, screen } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type Waiting, waiting } from '../pages.fixture.tsx';
import { TryAgain } from './try-again.tsx';

let reloads = 0;
let asked: unknown[][] = [];
let answers: Waiting<boolean>[] = [];

beforeEach(() => {
  [reloads, asked, answers] = [0, [], []];
  vi.stubGlobal('location', {
    pathname: '/fp/cloud',
    reload: () => {
      reloads += 1;
    },
  });
  vi.stubGlobal('fetch', async (...request: unknown[]) => {
    asked.push(request);
    const answer = waiting<boolean>();
    answers.push(answer);
    if (!(await answer.promise)) throw new TypeError('Failed to fetch');
    return new Response();
  });
});
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

const button = () => screen.getByRole<HTMLButtonElement>('button', { name: 'Try again' });
const press = () => act(async () => button().click());

describe('the button that loads the page again', () => {
  test('sends a request to the server first, and reloads once the server answers', async () => {
    render(<TryAgain />);
    await press();
    expect([reloads, button().disabled]).toEqual([0, true]);
    expect(asked).toEqual([['/fp/cloud', { method: 'HEAD', cache: 'no-store' }]]);
    await answers[0]?.come(true);
    expect(reloads).toBe(1);
  });

  test('keeps the page while the server is silent, and can be pressed again', async () => {
    render(<TryAgain />);
    await press();
    await answers[0]?.come(false);
    expect(reloads).toBe(0);
    expect(screen.getByRole('status').textContent).toBe('The server doesn’t answer. Try again later.');
    await press();
    expect(screen.getByRole('status').textContent).toBe('');
    await answers[1]?.come(true);
    expect(reloads).toBe(1);
  });

  test('reloads without a request if a service worker can load the page', async () => {
    vi.stubGlobal('navigator', { serviceWorker: { controller: {} } });
    render(<TryAgain />);
    await press();
    expect([reloads, asked]).toEqual([1, []]);
  });
});
