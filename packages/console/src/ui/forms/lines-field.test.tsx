import { cleanup, render, screen } from '@testing-library/react';
import { afterEach, expect, test } from 'vitest';
import { LinesField } from './lines-field.tsx';

afterEach(cleanup);

test('describes the field by its hint and its problem, and moves the focus to a new problem', () => {
  const { rerender } = render(<LinesField label="Origins" hint="One per line." />);
  const field = screen.getByRole('textbox', { name: 'Origins', description: 'One per line.' });
  expect([field.getAttribute('aria-invalid'), document.activeElement === field]).toEqual(['false', false]);
  rerender(<LinesField label="Origins" hint="One per line." error="Not an origin." />);
  screen.getByRole('textbox', { name: 'Origins', description: 'Not an origin. One per line.' });
  expect([field.getAttribute('aria-invalid'), document.activeElement === field]).toEqual(['true', true]);
});
