import { describe, expect, test } from 'vitest';
import { entryName, originText, problemText, removalText } from './describe-withheld.ts';

const members = [{ userId: 'u1', email: 'ada@example.com', role: 'member' as const }];
const since = Date.UTC(2026, 0, 2, 12);

describe('the text about an entry that doesn’t sync', () => {
  test('names an entry by the end of its id, if it has one', () => {
    expect(entryName({ cid: 'bafyrei12345678', why: 'malformed' })).toBe('Entry …12345678');
    expect(entryName({ cid: '', why: 'malformed' })).toBe('Entry without an id');
    expect(entryName({ cid: '', why: 'files' })).toBe('Files');
  });

  test('names the author by email, or says that the author is unknown', () => {
    const bad = { cid: 'x', why: 'malformed' };
    expect(originText({ ...bad, author: 'u1', since }, members, true)).toMatch(
      /^Author: ada@example\.com, received .*2026/,
    );
    expect(originText({ ...bad, author: 'u2' }, members, true)).toBe('Author: unknown (user u2)');
    expect(originText(bad, members, true)).toBe('Author: unknown');
  });

  test('mentions no author to members, because the server sends the author only to admins', () => {
    expect(originText({ cid: 'x', why: 'malformed', since }, members, false)).toMatch(/^Received .*2026/);
    expect(originText({ cid: 'x', why: 'malformed' }, members, false)).toBeUndefined();
  });

  test('says what is wrong, and that removing the entry may lose changes', () => {
    expect(problemText({ cid: 'x', why: 'malformed' })).toContain('no device can read this entry');
    const absent = { cid: 'x', why: 'absent', objects: ['car/a', 'car/b'] };
    expect(problemText(absent)).toContain('lost 2 objects');
    expect(removalText(absent)).toContain('are lost');
    expect(removalText({ cid: 'x', why: 'malformed' })).not.toContain('lost');
    expect(problemText({ cid: 'x', why: 'of a newer server' })).not.toBe('');
  });
});
