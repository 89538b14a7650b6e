import { render, screen } from '@testing-library/react';
import { expect, test } from 'vitest';
import { QrImage } from './qr-image.tsx';

const drawn = async (text: string) => {
  const { container, unmount } = render(<QrImage text={text} label="QR code of the number" />);
  const image = await screen.findByRole('img', { name: 'QR code of the number' });
  const found = {
    box: image.getAttribute('viewBox'),
    path: container.querySelector('path')?.getAttribute('d'),
  };
  unmount();
  return found;
};

test('draws a code with a border of four modules, dark on light', async () => {
  const { box, path = '' } = await drawn('0'.repeat(60));
  const [, , width, height] = (box ?? '').split(' ').map(Number);
  expect([width, (Number(width) - 8 - 17) % 4]).toEqual([height, 0]);
  // The first row is the upper edge of two finder patterns.
  expect(path?.startsWith('M4 4h1v1h-1z')).toBe(true);
  expect(path).not.toMatch(/M[0-3] |M\d+ [0-3]h/);
});

test('draws different codes for numbers that differ in one digit', async () => {
  expect(await drawn(`${'1'.repeat(59)}2`)).not.toEqual(await drawn('1'.repeat(60)));
});
