import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { HOSTILE_NAMES } from '../values/hostile-names.fixture.ts';
import { agreeTo, forgetAgreed, isAgreed } from './agreed-endpoints.ts';
import { forgetNotesOf } from './forget-notes.ts';

const [ADA, GRACE] = ['ada@example.com', 'grace@example.com'];
const [PANTRY, EVIL] = ['fpcloud://h/?tenant=zT&ledger=zL', 'fpcloud://h/?tenant=zT&ledger=zEvil'];

beforeEach(() => localStorage.clear());
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
  localStorage.clear();
  forgetAgreed('notes');
});

describe('the agreement to sync with an endpoint', () => {
  test('is missing until the user agrees', () => {
    expect(isAgreed('notes', PANTRY, ADA)).toBe(false);
    agreeTo('notes', PANTRY, ADA);
    expect(isAgreed('notes', PANTRY, ADA)).toBe(true);
  });

  test('applies to one database, one endpoint and one user', () => {
    agreeTo('notes', PANTRY, ADA);
    expect([
      isAgreed('other', PANTRY, ADA),
      isAgreed('notes', EVIL, ADA),
      isAgreed('notes', `${PANTRY}&path=x`, ADA),
      isAgreed('notes', PANTRY, GRACE),
    ]).toEqual([false, false, false, false]);
  });

  test('applies to all names of the same database', () => {
    agreeTo('my notes', PANTRY, ADA);
    expect(isAgreed('my_notes', PANTRY, ADA)).toBe(true);
  });

  test('ends when the user agrees to another endpoint', () => {
    agreeTo('notes', PANTRY, ADA);
    agreeTo('notes', EVIL, ADA);
    expect([isAgreed('notes', PANTRY, ADA), isAgreed('notes', EVIL, ADA)]).toEqual([false, true]);
  });

  test('ends for the previous user when another user of this browser agrees', () => {
    agreeTo('notes', PANTRY, ADA);
    agreeTo('notes', PANTRY, GRACE);
    expect([isAgreed('notes', PANTRY, ADA), isAgreed('notes', PANTRY, GRACE)]).toEqual([false, true]);
  });

  test('is forgotten alone, by any name of the database', () => {
    agreeTo('my notes', PANTRY, ADA);
    agreeTo('other', PANTRY, ADA);
    forgetAgreed('my_notes');
    expect([isAgreed('my notes', PANTRY, ADA), isAgreed('other', PANTRY, ADA)]).toEqual([false, true]);
  });

  test('is forgotten with a removed database, so that a later one of the same name sends nothing', () => {
    agreeTo('notes', PANTRY, ADA);
    agreeTo('notes2', PANTRY, ADA);
    forgetNotesOf('notes');
    expect([isAgreed('notes', PANTRY, ADA), isAgreed('notes2', PANTRY, ADA)]).toEqual([false, true]);
  });

  test.each(['', 'true', '{}', 'null', '{"endpoint":"', JSON.stringify({ endpoint: PANTRY })])(
    'ignores a damaged note: %j',
    (note) => {
      localStorage.setItem('fixpoint:connect:notes', note);
      expect(isAgreed('notes', PANTRY, ADA)).toBe(false);
    },
  );

  test.each(HOSTILE_NAMES.map((name) => [name.slice(0, 20), name]))(
    'works for the name %j',
    (_shown, name) => {
      expect(isAgreed(name, PANTRY, ADA)).toBe(false);
      agreeTo(name, PANTRY, ADA);
      expect(isAgreed(name, PANTRY, ADA)).toBe(true);
      forgetAgreed(name);
      expect(isAgreed(name, PANTRY, ADA)).toBe(false);
    },
  );
});

describe('an agreement in a browser without storage', () => {
  const without = () => {
    const broken = () => {
      throw new DOMException('The operation is insecure.', 'SecurityError');
    };
    vi.stubGlobal('localStorage', { getItem: broken, setItem: broken, removeItem: broken });
  };

  test('lasts while the page is open, and is forgotten like any other', () => {
    without();
    agreeTo('notes', PANTRY, ADA);
    expect([isAgreed('notes', PANTRY, ADA), isAgreed('notes', PANTRY, GRACE)]).toEqual([true, false]);
    forgetAgreed('notes');
    expect(isAgreed('notes', PANTRY, ADA)).toBe(false);
  });

  test('works if reading the storage itself fails', () => {
    vi.stubGlobal('localStorage', undefined);
    agreeTo('notes', PANTRY, ADA);
    expect(isAgreed('notes', PANTRY, ADA)).toBe(true);
  });

  test('replaces a stored agreement when the storage is full', () => {
    agreeTo('notes', PANTRY, ADA);
    const stored = localStorage.getItem('fixpoint:connect:notes');
    vi.stubGlobal('localStorage', {
      getItem: () => stored,
      setItem: () => {
        throw new DOMException('The quota has been exceeded.', 'QuotaExceededError');
      },
      removeItem: () => undefined,
    });
    agreeTo('notes', PANTRY, GRACE);
    expect([isAgreed('notes', PANTRY, ADA), isAgreed('notes', PANTRY, GRACE)]).toEqual([false, true]);
  });

  test('is replaced by a stored one once the storage works again', () => {
    without();
    agreeTo('notes', PANTRY, ADA);
    vi.unstubAllGlobals();
    agreeTo('notes', EVIL, GRACE);
    expect([isAgreed('notes', PANTRY, ADA), isAgreed('notes', EVIL, GRACE)]).toEqual([false, true]);
  });
});
