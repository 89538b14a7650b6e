import { afterEach, expect, test, vi } from 'vitest';
import { readKeptText, writeKeptText } from '../features/documents/kept-text.ts';
import { PLAIN_LAYOUT, readLayout, writeLayout } from '../features/documents/table-layout.ts';
import { readQueryDraft, writeQueryDraft } from '../features/query/query-draft.ts';
import { forgetLedgerNotes } from './forget-notes.ts';

/** A storage of a browser: its keys are properties of it. */
function fakeStorage(): Storage {
  const methods = {
    getItem(key: string) {
      return (this as unknown as Record<string, string>)[key] ?? null;
    },
    setItem(key: string, value: string) {
      (this as unknown as Record<string, string>)[key] = value;
    },
    removeItem(key: string) {
      delete (this as unknown as Record<string, string>)[key];
    },
  };
  return Object.create(methods) as Storage;
}

afterEach(() => vi.unstubAllGlobals());

test('[S15] what was noted of documents of ledgers goes with the session; notes of local databases stay', () => {
  vi.stubGlobal('sessionStorage', fakeStorage());
  vi.stubGlobal('localStorage', fakeStorage());
  const layout = { ...PLAIN_LAYOUT, hidden: ['salary'] };
  for (const database of ['cloud-ledger-z1', 'recipes']) {
    writeKeptText(database, 'id', '{"secret":1}');
    writeKeptText(database, undefined, '{"new":1}');
    writeQueryDraft(database, undefined, 'emit');
    writeLayout(database, layout);
  }
  localStorage.setItem('darkMode', 'true');
  localStorage.setItem('fixpoint:unsent-since:cloud-ledger-z1', 'a date');
  forgetLedgerNotes();
  const noted = (database: string) => [
    readKeptText(database, 'id'),
    readKeptText(database, undefined),
    readQueryDraft(database, undefined),
    readLayout(database),
  ];
  expect(noted('cloud-ledger-z1')).toEqual([undefined, undefined, undefined, PLAIN_LAYOUT]);
  expect(noted('recipes')).toEqual(['{"secret":1}', '{"new":1}', 'emit', layout]);
  expect(Object.keys(localStorage).sort()).toEqual([
    'darkMode',
    'fixpoint:table:recipes',
    'fixpoint:unsent-since:cloud-ledger-z1',
  ]);
});

test('a browser that stores nothing is no hindrance', () => {
  expect(() => forgetLedgerNotes()).not.toThrow();
});
