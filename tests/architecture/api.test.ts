import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { apiReference, publicInterface } from '../../scripts/api.mjs';

const entries = publicInterface();
const names = entries.flatMap(({ entry, names: exported }) => exported.map((one) => ({ entry, ...one })));

describe('the public interface', () => {
  test('docs/guide/api.md is what the exports and their docstrings say (node scripts/api.mjs writes it)', () => {
    expect(readFileSync('docs/guide/api.md', 'utf8') === apiReference()).toBe(true);
  }, 60_000);

  test('every export and every method says what it means', () => {
    const silent = names.flatMap(({ entry, name, doc, members }) => [
      ...(doc === '' ? [`${entry}: ${name}`] : []),
      ...members.flatMap((member) =>
        member.isMethod && member.doc === '' ? [`${entry}: ${name}.${member.name}`] : [],
      ),
    ]);
    expect(names.length).toBeGreaterThan(100);
    expect(silent).toEqual([]);
  });

  test('what the reference promises is there', () => {
    const membersOf = (wanted: string) =>
      names
        .find(({ entry, name }) => entry === 'fixpoint' && name === wanted)
        ?.members.map(({ name }) => name);
    expect(membersOf('QueryOptions')?.sort()).toEqual(
      ['descending', 'includeDocs', 'key', 'keys', 'limit', 'prefix', 'range'].sort(),
    );
    expect(membersOf('AllDocsOptions')).toEqual(expect.arrayContaining(['limit', 'includeDeleted']));
    expect([
      ...(membersOf('Database') ?? []),
      ...(membersOf('TimeTravel') ?? []),
      ...(membersOf('History') ?? []),
      ...(membersOf('Proofs') ?? []),
    ]).toEqual(
      expect.arrayContaining(
        'ready put get del remove bulk allDocs query changes subscribe attach compact close destroy onClosed at diff restore history conflicts events prove verify'.split(
          ' ',
        ),
      ),
    );
  });
});
