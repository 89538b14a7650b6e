import { screen } from '@testing-library/react';
import { expect, test } from 'vitest';
import { Button, LinkButton, type Size } from './button.tsx';
import { drawPages, withPages } from './pages.fixture.tsx';

withPages();

test('gives buttons and links of both sizes the height of all controls', async () => {
  const sizes: readonly Size[] = ['sm', 'md'];
  const Page = () =>
    sizes.map((size) => (
      <p key={size}>
        <Button size={size}>Save</Button>
        <LinkButton to="/" size={size}>
          Open
        </LinkButton>
      </p>
    ));
  await drawPages([{ path: '/', Component: Page }], '/');
  const all = [...screen.getAllByRole('button'), ...screen.getAllByRole('link')];
  const heights = all.map(({ classList }) => [...classList].filter((name) => /^(max-sm:)?h-/.test(name)));
  expect(heights).toEqual(Array.from({ length: 4 }, () => ['h-(--control)']));
});
