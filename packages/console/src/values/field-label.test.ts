import { expect, test } from 'vitest';
import { columnLabel, fieldLabel } from './field-label.ts';

test('labels the id column, and names that are empty or very long', () => {
  expect(columnLabel('_id')).toBe('document id');
  expect(fieldLabel('_id')).toBe('_id');
  expect(columnLabel('')).toBe('(empty name)');
  expect(columnLabel(' ')).toBe('" "');
  expect(columnLabel('n'.repeat(10_000)).length).toBeLessThan(200);
});
