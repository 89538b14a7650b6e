import { expect, test } from 'vitest';
import { countedMailbox, hashOfMailbox, mailboxOf } from './mailbox.ts';

test('finds the mailbox behind the spellings of an address', () => {
  for (const same of ['ada@example.com', ' Ada@Example.COM ', 'ada+notes@example.com', 'ada+a+b@example.com'])
    expect(mailboxOf(same), same).toBe('ada@example.com');
  for (const same of ['a.d.a@gmail.com', 'ada@googlemail.com', 'A.da+x@Gmail.com'])
    expect(mailboxOf(same), same).toBe('ada@gmail.com');
});

test('keeps dots unless the host is known to ignore them', () => {
  expect(mailboxOf('a.da@example.com')).toBe('a.da@example.com');
});

test('counts mails to an address with and without dots together', () => {
  expect(countedMailbox('A.d.a+x@example.com')).toBe('ada@example.com');
  expect(countedMailbox('a.da@sub.example.com')).toBe('ada@sub.example.com');
});

test("returns texts that aren't addresses unchanged", () => {
  for (const text of ['', 'ada', '@example.com', '+ada@example.com']) {
    expect(mailboxOf(text)).toBe(text);
    expect(countedMailbox(text)).toBe(text);
  }
});

test('returns a different hash for each mailbox', () => {
  expect(hashOfMailbox('ada@example.com')).toMatch(/^[0-9a-f]{64}$/);
  expect(hashOfMailbox('ada@example.com')).not.toBe(hashOfMailbox('bob@example.com'));
});
