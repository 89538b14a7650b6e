import { act, cleanup, render, screen } from '@testing-library/react';
import { useState } from 'react';
import { afterEach, expect, test } from 'vitest';
import { Segments } from './segments.tsx';

afterEach(cleanup);

const SEGMENTS = [
  { name: 'table', label: 'Table' },
  { name: 'chart', label: 'Chart', icon: <svg aria-hidden /> },
] as const;

function Page() {
  const [chosen, choose] = useState<'table' | 'chart'>('table');
  return <Segments label="View" segments={SEGMENTS} chosen={chosen} onChoose={choose} />;
}

test('presses the chosen button, and no other', async () => {
  render(<Page />);
  const pressed = () =>
    screen.getAllByRole('button').map((one) => [one.textContent?.trim(), one.getAttribute('aria-pressed')]);
  expect(screen.getByRole('group', { name: 'View' })).toBeDefined();
  expect(pressed()).toEqual([
    ['Table', 'true'],
    ['Chart', 'false'],
  ]);
  await act(async () => screen.getByRole('button', { name: 'Chart' }).click());
  expect(pressed()).toEqual([
    ['Table', 'false'],
    ['Chart', 'true'],
  ]);
});
