import { expect, test } from 'vitest';
import { describeAction, detailsOf } from './describe-action.ts';

const names: Record<string, string> = { u2: 'grace@example.com', l1: 'notes' };
const told = (detail: object) => detailsOf({ detail: JSON.stringify(detail) }, (id) => names[id]);

test('describes each action in words, and shows unknown actions of a newer server unchanged', () => {
  expect(describeAction('reqShareLedger')).toBe('shared a database');
  expect(describeAction('reqPaintLedger')).toBe('reqPaintLedger');
  expect(describeAction('constructor')).toBe('constructor');
});

test('replaces ids by names, omits unknown ids, and repeats nothing', () => {
  expect(told({ ledger: { ledgerId: 'l1', tenantId: 't1' }, userId: 'u2', right: 'read' })).toEqual([
    'notes',
    'grace@example.com',
    'read',
  ]);
  expect(
    told({
      ticket: { query: { byEmail: 'a@b.cd' }, invitedParams: { tenant: { id: 't1', role: 'admin' } } },
    }),
  ).toEqual(['a@b.cd', 'admin']);
  expect(told({ names: ['x', 'x'], none: null, count: 2 })).toEqual(['x']);
});

test('shows a detail that is not JSON unchanged', () => {
  expect(detailsOf({ detail: 'oh {' }, () => undefined)).toEqual(['oh {']);
});
