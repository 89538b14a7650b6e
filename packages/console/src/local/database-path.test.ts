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

test('puts the name of a database in its path', () => {
  expect(databasePath('groceries')).toBe('/fp/databases/groceries');
  expect(databaseNamed('groceries', [])).toEqual({ localName: 'groceries', remote: undefined });
});

test('adds a tilde for databases that share the name of a page', () => {
  expect(databasePath('new')).toBe('/fp/databases/~new');
  expect(databasePath('connect')).toBe('/fp/databases/~connect');
  expect(databaseNamed('~new', [])).toEqual({ localName: 'new', remote: undefined });
});

test('resolves a remote name to the local database connected to it', () => {
  const connection = connected('notes', 'acme_notes');
  expect(databaseNamed('acme_notes', [connection])).toEqual({ localName: 'notes', remote: connection });
});

test('keeps a database reachable if its name is also the remote name of another database', () => {
  const connections = [connected('notes', 'work')];
  expect(databaseNamed('work', connections).localName).toBe('notes');
  expect(databasePath('work', connections)).toBe('/fp/databases/~work');
  expect(databaseNamed('~work', connections)).toEqual({ localName: 'work', remote: undefined });
  expect(databasePath('notes', [connected('notes', 'notes')])).toBe('/fp/databases/notes');
});

test('links a connection by its remote name, unless a page has that name', () => {
  expect(connectedPath(connected('notes', 'acme_notes'))).toBe('/fp/databases/acme_notes');
  expect(connectedPath(connected('notes', 'new'))).toBe('/fp/databases/notes');
});
