import { act, cleanup, render, screen } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { ThemeToggle } from './theme-toggle.tsx';

beforeEach(() => {
  localStorage.clear();
  document.documentElement.classList.remove('dark');
});
afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
});

const press = (name: string) => act(() => screen.getAllByRole('button', { name })[0]?.click());

describe('the switch between light and dark', () => {
  test('has a label that names its effect, and remembers the choice', () => {
    render(<ThemeToggle />);
    press('Switch to dark mode');
    expect([document.documentElement.className, localStorage.getItem('darkMode')]).toEqual(['dark', 'true']);
    press('Switch to light mode');
    expect([document.documentElement.className, localStorage.getItem('darkMode')]).toEqual(['', 'false']);
  });

  test('starts with the theme that the page has', () => {
    document.documentElement.classList.add('dark');
    render(<ThemeToggle />);
    expect(screen.getByRole('button').title).toBe('Switch to light mode');
  });

  test('changes every switch on the page', () => {
    render(
      <>
        <ThemeToggle />
        <ThemeToggle />
      </>,
    );
    press('Switch to dark mode');
    expect(screen.getAllByRole('button', { name: 'Switch to light mode' })).toHaveLength(2);
  });

  test('changes this page in a browser that stores nothing', () => {
    vi.spyOn(Storage.prototype, 'setItem').mockImplementation(() => {
      throw new Error('blocked');
    });
    render(<ThemeToggle />);
    press('Switch to dark mode');
    expect(document.documentElement.classList.contains('dark')).toBe(true);
  });
});
