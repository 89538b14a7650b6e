import { act, screen } from '@testing-library/react';
import { useState } from 'react';
import { describe, expect, test } from 'vitest';
import { drawPages, withPages } from '../../../ui/pages.fixture.tsx';
import { ending, hasEnded, type Merge, useConflictEnd } from './merging.ts';

withPages();

const MERGE = { what: 'versions' } as Merge;
const TEXT = /^Somebody else resolved this conflict while you were choosing\./;

/** Renders a page that merges versions, until the test says that the conflict ended. */
async function draw(page: object) {
  let show: (merge: Merge | undefined, isMerging?: boolean) => void = () => undefined;
  function Page() {
    const [[merge, isMerging], set] = useState<readonly [Merge | undefined, boolean]>([MERGE, true]);
    show = (next, isStill = true) => set([next, isStill]);
    useConflictEnd(page, isMerging, merge);
    return null;
  }
  await drawPages([{ path: '/', Component: Page }], '/');
  return (...next: Parameters<typeof show>) => act(async () => show(...next));
}

describe('a conflict that ends during its merge', () => {
  test('is reported if somebody else resolved it', async () => {
    const show = await draw({});
    expect(screen.queryByText(TEXT)).toBe(null);
    await show(undefined);
    expect(screen.getByText(TEXT)).toBeDefined();
  });

  test('is not reported if the user leaves the merge, or ended it', async () => {
    const page = {};
    await (await draw({}))(undefined, false);
    const show = await draw(page);
    expect(await ending(page, async () => 'done')).toBe('done');
    await show(undefined);
    expect(screen.queryByText(TEXT)).toBe(null);
    hasEnded(page);
    await show(MERGE);
    await show(undefined);
    expect(screen.getByText(TEXT)).toBeDefined();
  });

  test('is reported after a write of the user failed', async () => {
    const page = {};
    const show = await draw(page);
    await expect(ending(page, async () => undefined)).rejects.toThrow(/^somebody changed this document/);
    await show(undefined);
    expect(screen.getByText(TEXT)).toBeDefined();
  });
});
