import { beforeEach, expect, test } from 'vitest';
import type { Clerk } from './load-clerk.ts';
import { giveChoice, keepChoice, type TabStorage } from './sign-up-choice.ts';

const MADE_AT = new Date('2026-01-01T10:00:00Z');
const kept = new Map<string, string>();
const storage: TabStorage = {
  getItem: (key) => kept.get(key) ?? null,
  setItem: (key, value) => void kept.set(key, value),
  removeItem: (key) => void kept.delete(key),
};

beforeEach(() => kept.clear());

/**
 * Returns the provider for a user who returned from the provider's page, and the metadata that the
 * account received.
 */
function returned(secondsAfterSignUp: number, isFailing = false) {
  const given: unknown[] = [];
  const clerk = {
    user: {
      createdAt: MADE_AT,
      unsafeMetadata: { theme: 'dark' },
      update: async ({ unsafeMetadata }: { unsafeMetadata: unknown }) => {
        if (isFailing) throw new Error('busy');
        given.push(unsafeMetadata);
      },
    },
    session: { createdAt: new Date(MADE_AT.getTime() + secondsAfterSignUp * 1000) },
  } as unknown as Clerk;
  return { clerk, given };
}

test('adds the choice to the metadata of a new account, once', async () => {
  keepChoice(storage, { emailOptIn: true, adClickId: 'ad1' });
  const { clerk, given } = returned(59);
  await giveChoice(storage, clerk);
  await giveChoice(storage, clerk);
  expect(given).toEqual([{ theme: 'dark', emailOptIn: true, adClickId: 'ad1' }]);
});

test('drops the choice for a user who already had an account', async () => {
  keepChoice(storage, { emailOptIn: true });
  const { clerk, given } = returned(60);
  await giveChoice(storage, clerk);
  expect([given, kept.size]).toEqual([[], 0]);
});

test('keeps the choice while nobody is signed in', async () => {
  keepChoice(storage, { emailOptIn: true });
  await giveChoice(storage, { user: null, session: null } as unknown as Clerk);
  expect(kept.size).toBe(1);
});

test('keeps the choice after a failure, for the next page', async () => {
  keepChoice(storage, { emailOptIn: false });
  await expect(giveChoice(storage, returned(1, true).clerk)).rejects.toThrow('busy');
  const { clerk, given } = returned(1);
  await giveChoice(storage, clerk);
  expect(given).toEqual([{ theme: 'dark', emailOptIn: false }]);
});

test('forgets an earlier choice for users who sign in another way', () => {
  keepChoice(storage, { emailOptIn: true });
  keepChoice(storage, undefined);
  expect(kept.size).toBe(0);
});
