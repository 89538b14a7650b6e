import { describe, expect, test } from 'vitest';
import { NOBODY } from '../../../values/who-wrote.ts';
import { filterIn, isHistoryFiltered, isStampWanted, withHistoryFilter } from './history-filter.ts';

const NONE = filterIn(new URLSearchParams());
const at = (day: number, hour: number) => new Date(2026, 10, day, hour).getTime();
const isWanted = (filter: object, stamp: object) =>
  isStampWanted({ ...NONE, ...filter }, stamp, 'own', NOBODY);

describe('the filter of the history', () => {
  test('keeps all parts in the address, and other parameters', () => {
    const filter = { who: 'u1', document: 'a b', field: 'name', from: '2026-11-28', to: '2026-11-29' };
    const address = withHistoryFilter(new URLSearchParams('view=documents'), filter);
    expect(filterIn(new URLSearchParams(address.toString()))).toEqual(filter);
    expect(address.get('view')).toBe('documents');
    expect(withHistoryFilter(address, NONE).toString()).toBe('view=documents');
  });

  test('is empty without parameters', () => {
    expect(isHistoryFiltered(NONE)).toBe(false);
    expect(isHistoryFiltered({ ...NONE, to: '2026-11-29' })).toBe(true);
  });

  test('includes both the first and the last day', () => {
    const days = { from: '2026-11-28', to: '2026-11-29' };
    expect([at(27, 23), at(28, 0), at(29, 23), at(30, 0)].map((time) => isWanted(days, { time }))).toEqual([
      false,
      true,
      true,
      false,
    ]);
    expect(isWanted(days, {})).toBe(false);
    expect(isWanted({ from: 'x' }, { time: 1 })).toBe(true);
  });

  test('uses the time of the gateway for events without their own', () => {
    expect(isWanted({ from: '2026-11-28' }, { received: { atMs: at(28, 1) } })).toBe(true);
  });

  test('matches the account, or else the device', () => {
    expect(isWanted({ who: 'own' }, { device: 'own' })).toBe(true);
    expect(isWanted({ who: 'own' }, { device: 'own', received: { atMs: 1, account: 'u1' } })).toBe(false);
    expect(isWanted({ who: 'u1' }, { device: 'own', received: { atMs: 1, account: 'u1' } })).toBe(true);
  });
});
