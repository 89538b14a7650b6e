import { act, renderHook } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { COMFORTABLE_ROW_PX } from '../../grid/grid-column.ts';
import { useRowMode } from './use-row-mode.ts';

beforeEach(() => localStorage.clear());
afterEach(() => {
  vi.unstubAllGlobals();
  localStorage.clear();
});

const mode = () => renderHook(() => useRowMode()).result;
const now = ({ current }: ReturnType<typeof mode>) => [current.isComfortable, current.rowPx];

describe('the height of rows', () => {
  test('is dense until the user chooses, and the choice applies to tables opened later', () => {
    const rows = mode();
    expect(now(rows)).toEqual([false, undefined]);
    act(() => rows.current.setComfortable(true));
    expect(now(rows)).toEqual([true, COMFORTABLE_ROW_PX]);
    expect(now(mode())).toEqual([true, COMFORTABLE_ROW_PX]);
    act(() => rows.current.setComfortable(false));
    expect([now(rows), now(mode())]).toEqual([
      [false, undefined],
      [false, undefined],
    ]);
  });

  test.each(['', 'Comfortable', 'true', '40px'])('is dense for the unknown choice %j', (stored) => {
    localStorage.setItem('fixpoint:rows', stored);
    expect(now(mode())).toEqual([false, undefined]);
  });

  test('changes without storage too, until the page is left', () => {
    const broken = () => {
      throw new DOMException('The operation is insecure.', 'SecurityError');
    };
    vi.stubGlobal('localStorage', { getItem: broken, setItem: broken, removeItem: broken });
    const rows = mode();
    act(() => rows.current.setComfortable(true));
    expect(rows.current.isComfortable).toBe(true);
    act(() => rows.current.setComfortable(false));
    expect([rows.current.isComfortable, mode().current.isComfortable]).toEqual([false, false]);
  });
});
