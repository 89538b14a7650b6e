import { FixpointError } from '@fixpoint/protocol';
import { screen } from '@testing-library/react';
import type { Attached } from 'fixpoint';
import { describe, expect, test } from 'vitest';
import { appWith } from '../../../cloud/app.fixture.ts';
import { drawPart } from '../../../cloud/part.fixture.tsx';
import { withPages } from '../../../ui/pages.fixture.tsx';
import { attachedWith } from '../attached.fixture.ts';
import { KindMismatch, useIsOtherKind } from './kind-mismatch.tsx';

withPages();

function drawn(attached: Promise<Attached>) {
  const Page = () => (useIsOtherKind(attached) ? <KindMismatch known="sealed" /> : <p>Documents</p>);
  return drawPart(Page, appWith({}));
}
const isStopped = () => screen.queryByRole('alert', { name: 'Stopped' }) !== null;

describe('a server that reports another kind than this browser recorded', () => {
  test('[S16] stops the pages when the attachment fails', async () => {
    await drawn(Promise.reject(new FixpointError('LEDGER_KIND')));
    expect([isStopped(), screen.queryByText('Documents')]).toEqual([true, null]);
  });

  test('[S16] stops the pages when the kind changes later', async () => {
    const { attached, become } = attachedWith();
    await drawn(Promise.resolve(attached));
    expect(isStopped()).toBe(false);
    await become({ state: 'refused', error: new FixpointError('LEDGER_KIND') });
    expect([isStopped(), screen.queryByText('Documents')]).toEqual([true, null]);
  });

  test('keeps showing the pages after any other failure', async () => {
    await drawn(Promise.reject(new FixpointError('FETCH')));
    expect([isStopped(), screen.queryByText('Documents') !== null]).toEqual([false, true]);
  });
});

describe('the warning', () => {
  test.each([
    ['sealed', 'as end-to-end encrypted (sealed), but the server reports that it’s open-key.'],
    ['open-key', 'as open-key, but the server reports that it’s end-to-end encrypted (sealed).'],
    [undefined, 'as one kind, but the server reports that it’s another kind.'],
  ] as const)('says which kind is known and which is reported: %s', async (known, text) => {
    await drawPart(() => <KindMismatch known={known} />, appWith({}));
    expect(screen.getByRole('alert', { name: 'Stopped' }).textContent).toContain(text);
  });
});
