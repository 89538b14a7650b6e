import { afterEach, expect, test, vi } from 'vitest';
import { readKeptText, writeKeptText } from '../features/documents/document/kept-text.ts';
import { PLAIN_LAYOUT, readLayout, writeLayout } from '../features/documents/table/table-layout.ts';
import { readQueryDraft, writeQueryDraft } from '../features/query/query-draft.ts';
import { fieldPlaces, rememberFields } from '../features/transfer/import/field-order.ts';
import { forgetLedgerNotes, forgetNotesOf, keepLedgerNotesOf } from './forget-notes.ts';

/** Returns a fake browser storage: its keys are properties of it. */
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

const layout = { ...PLAIN_LAYOUT, hidden: ['salary'] };

/** Fills the browser with every kind of note about each of these databases. */
function noteAbout(...databases: readonly string[]): void {
  vi.stubGlobal('sessionStorage', fakeStorage());
  vi.stubGlobal('localStorage', fakeStorage());
  for (const database of databases) {
    writeKeptText(database, 'id', '{"secret":1}');
    writeKeptText(database, undefined, '{"new":1}');
    writeQueryDraft(database, undefined, 'emit');
    writeLayout(database, layout);
    rememberFields(database, ['name']);
  }
  localStorage.setItem('darkMode', 'true');
  localStorage.setItem('fixpoint:unsent-since:cloud-ledger-z1', 'a date');
}

const noted = (database: string) => [
  readKeptText(database, 'id'),
  readKeptText(database, undefined),
  readQueryDraft(database, undefined),
  readLayout(database),
  [...fieldPlaces(database).keys()],
];
const NOTHING = [undefined, undefined, undefined, PLAIN_LAYOUT, []];
const ALL = ['{"secret":1}', '{"new":1}', 'emit', layout, ['name']];

test('[S15] deletes notes about ledgers when the session ends, and keeps notes about local databases', () => {
  noteAbout('cloud-ledger-z1', 'recipes');
  forgetLedgerNotes();
  expect(noted('cloud-ledger-z1')).toEqual(NOTHING);
  expect(noted('recipes')).toEqual(ALL);
  expect(Object.keys(localStorage).sort()).toEqual([
    'darkMode',
    'fixpoint:fields:recipes',
    'fixpoint:table:recipes',
    'fixpoint:unsent-since:cloud-ledger-z1',
  ]);
});

test('[S15] keeps notes about ledgers for the same user, and deletes them for another user', () => {
  noteAbout('cloud-ledger-z1', 'recipes');
  keepLedgerNotesOf('ada@example.com');
  keepLedgerNotesOf('ada@example.com');
  expect(noted('cloud-ledger-z1')).toEqual(ALL);
  keepLedgerNotesOf('bob@example.com');
  expect(noted('cloud-ledger-z1')).toEqual(NOTHING);
  expect(noted('recipes')).toEqual(ALL);
});

test('[S15] deletes notes of the previous user, both in new tabs and in tabs that were open', () => {
  for (const ofTab of [true, false]) {
    noteAbout('cloud-ledger-z1');
    keepLedgerNotesOf('ada@example.com');
    (ofTab ? localStorage : sessionStorage).removeItem('fixpoint:notes-of');
    keepLedgerNotesOf('bob@example.com');
    expect(noted('cloud-ledger-z1')).toEqual(NOTHING);
  }
});

test('[S15] forgets the user who signed out', () => {
  noteAbout('recipes');
  keepLedgerNotesOf('ada@example.com');
  forgetLedgerNotes();
  expect(JSON.stringify([localStorage, sessionStorage])).not.toContain('ada');
});

test.each(['cloud-ledger-z1', 'said "so"'])(
  'deletes the notes about %s, and no notes about other databases',
  (database) => {
    const others = [`${database}2`, `${database}",`, database.slice(0, -1), 'recipes'];
    noteAbout(database, ...others);
    forgetNotesOf(database);
    expect(noted(database)).toEqual(NOTHING);
    expect(others.map(noted)).toEqual(others.map(() => ALL));
    expect(localStorage.getItem('darkMode')).toBe('true');
    expect(localStorage.getItem(`fixpoint:unsent-since:${database}`)).toBe(null);
  },
);

test('works in a browser that stores nothing', () => {
  expect(() => forgetLedgerNotes()).not.toThrow();
  expect(() => forgetNotesOf('recipes')).not.toThrow();
  expect(() => keepLedgerNotesOf('ada@example.com')).not.toThrow();
});
