import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { apiReference, publicInterface } from '../../scripts/api.mjs';

const entries = publicInterface();
const names = entries.flatMap(({ entry, names: exported }) => exported.map((one) => ({ entry, ...one })));

/**
 * Interfaces whose methods applications call. `OPTIONS_OF` lists the interfaces of options that
 * applications pass.
 */
const VERBS_OF = new Set(
  'Database TimeTravel History Conflicts Proofs Attached LedgerDevices StoredFile Rows UsedDocument Engine'.split(
    ' ',
  ),
);
const OPTIONS_OF = new Set(
  [
    'Database',
    'NodeDatabase',
    'Query',
    'AllDocs',
    'Cloud',
    'History',
    'Find',
    'Scan',
    'Window',
    'Verify',
  ].map((of) => `${of}Options`),
);

/** All words in the code of the guide pages. */
const inGuide = new Set(
  readdirSync('docs/guide')
    .filter((path) => path !== 'api.md')
    .map((path) => readFileSync(`docs/guide/${path}`, 'utf8'))
    .flatMap((page) => page.match(/```[\s\S]*?```|`[^`\n]+`/g) ?? [])
    .flatMap((code) => code.match(/\w+/g) ?? []),
);

describe('the public interface', () => {
  test('matches docs/guide/api.md (node scripts/api.mjs writes this page from the exports and docstrings)', () => {
    expect(readFileSync('docs/guide/api.md', 'utf8') === apiReference(entries)).toBe(true);
  });

  test('has a docstring for every export, method and option', () => {
    // These options exist for compatibility with existing applications, and have no effect.
    const isSilent = (name: string) => name === 'FireproofOptions' || name === 'FireproofCloudOptions';
    const silent = names.flatMap(({ entry, name, doc, members }) => [
      ...(doc === '' ? [`${entry}: ${name}`] : []),
      ...members.flatMap((member) =>
        (member.isMethod || (/(Options|Limits|Props|Config)$/.test(name) && !isSilent(name))) &&
        member.doc === ''
          ? [`${entry}: ${name}.${member.name}`]
          : [],
      ),
    ]);
    expect(names.length).toBeGreaterThan(100);
    expect(silent).toEqual([]);
  });

  test('mentions every method, option and hook in a page of the guide', () => {
    const wanted = names.flatMap(({ name, members }) => {
      if (/^use[A-Z]/.test(name)) return [name];
      if (OPTIONS_OF.has(name)) return members.map((one) => one.name);
      return VERBS_OF.has(name) ? members.flatMap((one) => (one.isMethod ? [one.name] : [])) : [];
    });
    expect(wanted.length).toBeGreaterThan(90);
    expect(wanted.filter((word) => /^\w+$/.test(word) && !inGuide.has(word))).toEqual([]);
  });

  test('has the members that the specification requires', () => {
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
      ...(membersOf('Conflicts') ?? []),
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
