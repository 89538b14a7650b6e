import { screen, waitFor } from '@testing-library/react';
import { describe, expect, test } from 'vitest';
import { ada, appWith } from '../../cloud/app.fixture.ts';
import type { SessionUser } from '../../cloud/identity/session-port.ts';
import { drawPart, hasButton, isDisabled, press } from '../../cloud/part.fixture.tsx';
import { sessionQuery } from '../../cloud/queries/queries.ts';
import { type Waiting, waiting, withPages } from '../../ui/pages.fixture.tsx';
import { VerifyEmail } from './verify-email.tsx';

withPages();

const SEND = 'Send the link again';

async function note(user: SessionUser | undefined) {
  const mailed: string[] = [];
  const answers: Waiting<string | undefined>[] = [];
  const parts = appWith({
    user,
    session: {
      sendVerification: (email) => {
        mailed.push(email);
        const answer = waiting<string | undefined>();
        answers.push(answer);
        return answer.promise;
      },
    },
  });
  await parts.queries.prefetchQuery(sessionQuery(parts.session));
  await drawPart(() => <VerifyEmail />, parts);
  return { mailed, answer: (problem?: string) => answers.at(-1)?.come(problem) };
}

describe('the note for users with an unverified address', () => {
  test.each([
    ['with a verified address', ada],
    ['who isn’t signed in', undefined],
  ])('stays hidden for a user %s', async (_who, user) => {
    await note(user);
    expect([screen.queryByRole('heading'), hasButton(SEND)]).toEqual([null, false]);
  });

  test('names the address, and mails the link to it, one mail at a time', async () => {
    const { mailed, answer } = await note({ ...ada, emailVerified: false });
    expect(screen.getByRole('region', { name: 'Were you invited by email?' }).textContent).toContain(
      'Verify your address: open the link that we sent to ada@example.com.',
    );
    await press(SEND);
    expect(isDisabled(SEND)).toBe(true);
    await press(SEND);
    await answer();
    await screen.findByText('We sent a link to ada@example.com.');
    expect([mailed, isDisabled(SEND)]).toEqual([['ada@example.com'], false]);
  });

  test('says why no mail was sent, and allows another attempt', async () => {
    const { answer } = await note({ ...ada, emailVerified: false });
    await press(SEND);
    await answer('Too many attempts. Wait a minute, then try again.');
    expect((await screen.findByRole('alert')).textContent).toContain('Wait a minute');
    await waitFor(() => expect(isDisabled(SEND)).toBe(false));
    expect(screen.queryByText(/We sent a link/)).toBeNull();
  });
});
