import { act, screen } from '@testing-library/react';
import type { DocumentConflicts, DocumentVersion } from 'fixpoint';
import { useState } from 'react';
import { describe, expect, test } from 'vitest';
import { drawPages, withPages } from '../../../ui/pages.fixture.tsx';
import { ending, hasEnded, type Merge, useConflictEnd } from './merging.ts';

withPages();

const version = (value?: object) => ({ event: 'e', ...(value && { value }) }) as unknown as DocumentVersion;
const CONFLICT: DocumentConflicts = { winner: version({}), losers: [version({})] };
const MERGE: Merge = { what: 'versions', conflict: CONFLICT };
const TEXT = /^Somebody else resolved this conflict while you were choosing\./;

/** Renders a page that merges versions, until the test says that the conflict ended. */
async function draw(page: object) {
  let show: (merge: Merge | undefined, isMerging?: boolean, conflict?: DocumentConflicts) => void = () =>
    undefined;
  function Page() {
    const [given, set] = useState<Parameters<typeof show>>([MERGE]);
    show = (...next) => set(next);
    const [merge, isMerging = true, conflict] = given;
    useConflictEnd(page, isMerging, merge, conflict);
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

  test('is not reported while the conflict remains', async () => {
    const show = await draw({});
    await show(undefined, true, CONFLICT);
    expect(screen.queryByText(/version/)).toBe(null);
    await show(MERGE);
    await show(undefined, true, { ...CONFLICT, losers: [version({}), version()] });
    expect(screen.getByText(/^These versions can’t be merged field by field any more\./)).toBeDefined();
    expect(screen.queryByText(TEXT)).toBe(null);
  });

  test('is reported after a write of the user failed', async () => {
    const page = {};
    const show = await draw(page);
    await expect(ending(page, async () => undefined)).rejects.toThrow(/^somebody changed this document/);
    await show(undefined);
    expect(screen.getByText(TEXT)).toBeDefined();
  });
});
