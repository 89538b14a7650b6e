import { render, screen } from '@testing-library/react';
import { version } from 'react';
import { version as domVersion } from 'react-dom';
import { expect, test } from 'vitest';

test('runs with the React version that the tests target', () => {
  const major = process.env['REACT_MAJOR'] ?? '19';
  expect([version, domVersion].map((text) => text.split('.')[0])).toEqual([major, major]);
  render(<p>drawn</p>);
  expect(screen.getByText('drawn')).toBeTruthy();
});
