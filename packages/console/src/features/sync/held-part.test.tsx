import { FixpointError } from '@fixpoint/protocol';
import { screen, waitFor, within } from '@testing-library/react';
import type { LedgerHoldings } from 'fixpoint';
import { describe, expect, test } from 'vitest';
import { appWith } from '../../cloud/app.fixture.ts';
import { drawPart, isDisabled, press } from '../../cloud/part.fixture.tsx';
import { type Waiting, waiting, withPages } from '../../ui/pages.fixture.tsx';
import { timeOf } from '../../ui/text/moment.ts';
import { attachedWith } from '../keys/attached.fixture.ts';
import { HeldPart } from './held-part.tsx';

withPages();

const SAME: LedgerHoldings = {
  entries: 2,
  unread: 0,
  head: ['bafyevent-aaaaaaaa'],
  missing: [],
  unsent: 0,
  absent: 0,
  archives: 3,
  bytes: 2500,
  unsized: 0,
  replaced: 0,
  knownSince: Date.parse('2026-11-20T12:00:00Z'),
};

/** Renders the part; each comparison waits for its answer, which may be an error. */
async function part() {
  const answers: Waiting<LedgerHoldings | Error>[] = [];
  const held = async () => {
    const answer = waiting<LedgerHoldings | Error>();
    answers.push(answer);
    const found = await answer.promise;
    if (found instanceof Error) throw found;
    return found;
  };
  const { attached } = attachedWith({ held });
  await drawPart(() => <HeldPart attached={attached} />, appWith({}));
  return { answers, answer: (value: LedgerHoldings | Error) => answers.at(-1)?.come(value) };
}
/** Compares, and returns the result as a user reads it. */
async function compared(given: Partial<LedgerHoldings>) {
  const { answer } = await part();
  await press('Compare now');
  await answer({ ...SAME, ...given });
  return within(screen.getByRole('status'));
}
const fact = (name: string) => screen.getByText(name).nextElementSibling?.textContent;

describe('a comparison with the server', () => {
  test('runs only when the user asks, one at a time, and can be repeated', async () => {
    const { answers, answer } = await part();
    expect(answers).toHaveLength(0);
    await press('Compare now');
    expect(isDisabled('Comparing…')).toBe(true);
    await press('Comparing…');
    expect(answers).toHaveLength(1);
    await answer(SAME);
    await screen.findByText('Identical');
    await press('Compare again');
    await answer({ ...SAME, unsent: 2 });
    await screen.findByText('Different');
    expect([answers.length, screen.queryByText('Identical')]).toEqual([2, null]);
  });

  test('keeps the previous result when a later comparison fails', async () => {
    const { answer } = await part();
    await press('Compare now');
    await answer(SAME);
    await press('Compare again');
    await answer(new FixpointError('FETCH', 'reset'));
    expect((await screen.findByRole('alert')).textContent).toMatch(
      /Couldn’t compare with the server: Couldn’t reach the server/,
    );
    expect(screen.getByText('Identical')).toBeDefined();
    await press('Compare again');
    await waitFor(() => expect(screen.queryByRole('alert')).toBeNull());
    await answer(SAME);
  });
});

describe('a result', () => {
  test('shows the server’s version, and the size and age of its archives', async () => {
    const status = await compared({ replaced: 1 });
    expect(status.getByText('Identical')).toBeDefined();
    expect([fact('Server version'), fact('Archives'), fact('Size of archives')]).toEqual([
      '…aaaaaaaaCopy',
      '3, and 1 older one that they replace',
      '2.5 kB in total',
    ]);
    expect(fact('Oldest archive')).toBe(`First seen by this device ${timeOf('2026-11-20T12:00:00Z')}`);
    expect(fact('Writing sessions')).toMatch(/^2, one for each time/);
  });

  test.each<[string, Partial<LedgerHoldings>]>([
    ['versions are missing here', { missing: ['bafyevent-aaaaaaaa'], unsent: undefined }],
    ['entries couldn’t be read', { unread: 1, unsent: undefined }],
    ['changes aren’t sent', { unsent: 1 }],
  ])('says "Different" when %s', async (_why, given) => {
    const status = await compared(given);
    expect(status.getByText('Different')).toBeDefined();
  });

  test('marks the versions that this device doesn’t have', async () => {
    const head = ['bafyevent-aaaaaaaa', 'bafyevent-bbbbbbbb'];
    await compared({ head, missing: ['bafyevent-bbbbbbbb'], unsent: undefined });
    const versions = screen.getAllByRole('listitem').map(({ textContent }) => textContent);
    expect(versions).toEqual(['…aaaaaaaaCopy', '…bbbbbbbbCopyNot on this device']);
    expect(screen.getByText('Server versions')).toBeDefined();
  });

  test('lists the first five versions, and counts the others', async () => {
    await compared({ head: Array.from({ length: 8 }, (_, at) => `bafyevent-0000000${at}`) });
    const versions = screen.getAllByRole('listitem').map(({ textContent }) => textContent);
    expect([versions.length, versions.at(-2), versions.at(-1)]).toEqual([6, '…00000004Copy', 'and 3 more']);
  });

  test('claims nothing about an empty ledger', async () => {
    const status = await compared({ entries: 0, head: [], archives: 0, bytes: 0, knownSince: undefined });
    expect(status.getByText('Neither the server nor this device has any data yet.')).toBeDefined();
    expect([fact('Server versions'), fact('Size of archives'), fact('Oldest archive')]).toEqual([
      'None',
      'Nothing',
      'Unknown',
    ]);
    expect(fact('Writing sessions')).toBe('0');
  });
});
