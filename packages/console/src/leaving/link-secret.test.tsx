import { act, screen } from '@testing-library/react';
import { Link } from 'react-router';
import { beforeEach, expect, test } from 'vitest';
import { drawPages, withPages } from '../ui/pages.fixture.tsx';
import { keptLink, useLinkSecret } from './link-secret.ts';

withPages();
beforeEach(() => sessionStorage.clear());

const LINK = keptLink('invite-link');

function Page() {
  return (
    <>
      <output>{useLinkSecret(LINK) ?? 'no secret'}</output>
      <Link to="/invite#second">Newer link</Link>
    </>
  );
}
const draw = (at: string) => drawPages([{ path: '/invite', Component: Page }], at);
const shown = () => screen.getByRole('status').textContent;

test('takes the secret out of the address, and keeps it in the tab', async () => {
  const { path } = await draw('/invite#first');
  expect([shown(), path(), LINK.read()]).toEqual(['first', '/invite', 'first']);
  await act(async () => screen.getByRole('link', { name: 'Newer link' }).click());
  expect([shown(), LINK.read()]).toEqual(['second', 'second']);
});

test('finds the kept secret on a later visit, until the page forgets it', async () => {
  LINK.keep('kept');
  await draw('/invite');
  expect(shown()).toBe('kept');
  LINK.forget();
  document.body.replaceChildren();
  await draw('/invite');
  expect(shown()).toBe('no secret');
});

test('keeps links of different kinds apart', () => {
  LINK.keep('a');
  keptLink('operator-link').keep('b');
  expect([LINK.read(), keptLink('operator-link').read()]).toEqual(['a', 'b']);
});
