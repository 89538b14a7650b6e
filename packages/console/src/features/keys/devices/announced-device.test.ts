import { expect, test } from 'vitest';
import { dayOf } from '../../../ui/text/moment.ts';
import { announcedText } from './announced-device.ts';

const MEMBERS = [{ userId: 'u2', email: 'grace@example.com', role: 'member' as const }];
const since = Date.parse('2026-11-23T12:00:00Z');

test('names the owner of a device, and the day it was announced', () => {
  const day = dayOf('2026-11-23T12:00:00Z');
  expect(announcedText({ owner: 'u1', isOwn: true, since }, MEMBERS)).toBe(`yours, since ${day}`);
  expect(announcedText({ owner: 'u2', isOwn: false, since }, MEMBERS)).toBe(
    `of grace@example.com, since ${day}`,
  );
  expect(announcedText({ owner: 'u3' }, MEMBERS)).toBe('of u3');
  expect(announcedText({ since }, [])).toBe(`since ${day}`);
  expect(announcedText({ isOwn: true, heardAt: since }, MEMBERS)).toBe(`yours, last seen ${day}`);
});

test('returns nothing for a device without details from the server', () => {
  expect(announcedText({}, MEMBERS)).toBeUndefined();
  expect(announcedText({ owner: undefined, isOwn: false, since: undefined }, MEMBERS)).toBeUndefined();
});
