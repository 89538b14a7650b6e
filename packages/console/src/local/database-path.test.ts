import { expect, test } from 'vitest';
import type { Connection } from './connections.ts';
import { connectedPath, databaseNamed, databasePath } from './database-path.ts';

const connected = (localName: string, sanitizedRemoteName: string): Connection => ({
  remoteName: sanitizedRemoteName,
  sanitizedRemoteName,
  localName,
  endpoint: '',
  firstConnect: true,
});

test('a database has its name in its path', () => {
  expect(databasePath('groceries')).toBe('/fp/databases/groceries');
  expect(databaseNamed('groceries', [])).toEqual({ localName: 'groceries', remote: undefined });
});

test('databases that are called like a page are reached by a tilde', () => {
  expect(databasePath('new')).toBe('/fp/databases/~new');
  expect(databasePath('connect')).toBe('/fp/databases/~connect');
  expect(databaseNamed('~new', [])).toEqual({ localName: 'new', remote: undefined });
});

test('the name of a remote leads to the local database that is connected to it', () => {
  const connection = connected('notes', 'acme_notes');
  expect(databaseNamed('acme_notes', [connection])).toEqual({ localName: 'notes', remote: connection });
});

test('a database that is called like the remote of another one stays reachable', () => {
  const connections = [connected('notes', 'work')];
  expect(databaseNamed('work', connections).localName).toBe('notes');
  expect(databasePath('work', connections)).toBe('/fp/databases/~work');
  expect(databaseNamed('~work', connections)).toEqual({ localName: 'work', remote: undefined });
  expect(databasePath('notes', [connected('notes', 'notes')])).toBe('/fp/databases/notes');
});

test('a connection leads to its remote name, unless a page is called so', () => {
  expect(connectedPath(connected('notes', 'acme_notes'))).toBe('/fp/databases/acme_notes');
  expect(connectedPath(connected('notes', 'new'))).toBe('/fp/databases/notes');
});
