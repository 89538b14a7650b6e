import { FixpointError } from '@fixpoint/protocol';
import type { AdminClient, Ledger } from '@fixpoint/protocol/admin';
import { act, screen, waitFor } from '@testing-library/react';
import { beforeEach, describe, expect, test } from 'vitest';
import { done, refused, signedIn } from '../../cloud/app.fixture.ts';
import { forgetKind } from '../../cloud/ledgers/known-kinds.ts';
import { drawPart, enter, press } from '../../cloud/part.fixture.tsx';
import { withPages } from '../../ui/pages.fixture.tsx';
import { Onboarding } from './onboarding.tsx';
import { LedgerFirstSteps } from './snippet-block.tsx';

withPages();
beforeEach(() => {
  for (const id of ['z1', 'z2']) forgetKind(id);
});

const ledgerCalled = (ledgerId: string, name: string, kind?: Ledger['kind']): Ledger => ({
  ledgerId,
  tenantId: 't1',
  name,
  ownerId: 'u1',
  maxShares: 5,
  createdAt: '',
  updatedAt: '',
  ...(kind && { kind }),
});
const LEDGERS = [ledgerCalled('z1', 'Notes', 'sealed'), ledgerCalled('z2', '<b>Drafts</b>')];

/** Returns stub parts. The text of each token names the ledger or tenant that the token opens. */
function withTokens(api: Partial<AdminClient> = {}) {
  const asked: unknown[] = [];
  const parts = signedIn({
    api: {
      cloudSessionToken: (request) => {
        asked.push(request);
        return done(`token of ${request?.selected?.ledger ?? request?.selected?.tenant}`);
      },
      ...api,
    },
  });
  return { asked, parts };
}
const snippet = () => document.querySelector('pre')?.textContent ?? '';

describe('the code that connects an application', () => {
  test('contains the only database of the tenant at once', async () => {
    const { parts } = withTokens();
    await drawPart(() => <Onboarding tenantId="t1" ledgers={LEDGERS.slice(0, 1)} />, parts);
    await waitFor(() => expect(snippet()).toMatch(/ledger: 'z1',\s+token: 'token of z1',/));
    await enter('Database of the snippet', '<ledger id>');
    await waitFor(() => expect(snippet()).toContain("ledger: '<ledger id>'"));
  });

  test('is offered for Node, React and existing clients, each with the command that installs it', async () => {
    const { parts } = withTokens();
    await drawPart(
      () => <Onboarding tenantId="t1" ledgers={[ledgerCalled('z2', 'Notes', 'open-key')]} />,
      parts,
    );
    expect(await screen.findByText('npm install fixpoint')).toBeDefined();
    await waitFor(() => expect(snippet()).toContain('token of z2'));
    const choose = async (name: string) => {
      await act(async () => screen.getByRole('tab', { name }).click());
    };
    await choose('React');
    expect(screen.getByText('npm install fixpoint @fixpoint/react')).toBeDefined();
    expect(snippet()).toMatch(/useFixpoint\('my-app', \{ attach \}\)/);
    expect(snippet()).toContain("\n  ledger: 'z2',\n  token: 'token of z2',\n  kind: 'open-key',\n};");
    await choose('Existing clients');
    expect(snippet()).toMatch(/base: 'fpcloud:\/\/localhost:\d+\/\?protocol=ws'/);
    expect(snippet()).toContain("new SimpleTokenStrategy('token of z2')");
    expect(screen.queryByText(/Choose a database first/)).toBeNull();
  });

  test.each([
    ['z1', /can’t open end-to-end encrypted databases/],
    ['<ledger id>', /^Choose a database first/],
  ])('says why existing clients can’t use the database %s', async (id, problem) => {
    const { parts } = withTokens();
    await drawPart(() => <Onboarding tenantId="t1" ledgers={LEDGERS} />, parts);
    await enter('Database of the snippet', id);
    await act(async () => screen.getByRole('tab', { name: 'Existing clients' }).click());
    expect(screen.getByText(problem)).toBeDefined();
  });

  test('has a placeholder and a token of the tenant until a database is chosen', async () => {
    const { asked, parts } = withTokens();
    await drawPart(() => <Onboarding tenantId="t1" ledgers={LEDGERS} />, parts);
    await screen.findByLabelText('Database of the snippet');
    await waitFor(() =>
      expect(snippet()).toMatch(/tenant: 't1',\s+ledger: '<ledger id>',\s+token: 'token of t1'/),
    );
    expect(asked).toEqual([{ selected: { tenant: 't1' }, lifeSeconds: 3600 }]);
  });

  test('contains the chosen database, its kind, and a token that opens only this database', async () => {
    const { asked, parts } = withTokens();
    await drawPart(() => <Onboarding tenantId="t1" ledgers={LEDGERS} />, parts);
    await enter('Database of the snippet', 'z1');
    await waitFor(() =>
      expect(snippet()).toMatch(/ledger: 'z1',\s+token: 'token of z1',\s+kind: 'sealed',\n/),
    );
    expect(asked.at(-1)).toEqual({ selected: { tenant: 't1', ledger: 'z1' }, lifeSeconds: 3600 });
  });

  test('says that the kind may differ if the first write has yet to decide it', async () => {
    const { parts } = withTokens();
    await drawPart(() => <Onboarding tenantId="t1" ledgers={LEDGERS} />, parts);
    await enter('Database of the snippet', 'z2');
    await waitFor(() => expect(snippet()).toMatch(/kind: 'open-key', \/\/ or 'sealed'/));
  });

  test('shows markup in names as text', async () => {
    const { parts } = withTokens();
    await drawPart(() => <Onboarding tenantId="t1" ledgers={LEDGERS} />, parts);
    const field = await screen.findByLabelText<HTMLSelectElement>('Database of the snippet');
    expect([...field.options].map(({ text }) => text)).toEqual([
      'Choose a database',
      'Notes',
      '<b>Drafts</b>',
    ]);
  });

  test('shows why no token could be fetched, and offers another attempt', async () => {
    let isDown = true;
    const { parts } = withTokens({
      cloudSessionToken: () => (isDown ? refused(new FixpointError('RATE_LIMITED')) : done('later')),
    });
    await drawPart(() => <Onboarding tenantId="t1" ledgers={[]} />, parts);
    expect((await screen.findByRole('alert')).textContent).toContain('Wait a minute, then try again.');
    expect(snippet()).toBe('');
    isDown = false;
    await press('Try again');
    await waitFor(() => expect(snippet()).toMatch("token: 'later'"));
  });
});

describe('the code for an empty database', () => {
  test('contains a token that opens the database', async () => {
    const { parts } = withTokens();
    await drawPart(() => <LedgerFirstSteps tenantId="t1" ledgerId="z1" kind="open-key" />, parts);
    await screen.findByText(/The token is valid for one hour/);
    expect(snippet()).toMatch(/ledger: 'z1',\s+token: 'token of z1',\s+kind: 'open-key',\n/);
  });

  test('is hidden from users who get no token', async () => {
    const asked: unknown[] = [];
    const { parts } = withTokens({
      cloudSessionToken: (request) => {
        asked.push(request);
        return refused(new FixpointError('FORBIDDEN'));
      },
    });
    await drawPart(() => <LedgerFirstSteps tenantId="t1" ledgerId="z1" kind={undefined} />, parts);
    await waitFor(() => expect(asked).toHaveLength(1));
    expect([snippet(), screen.queryByRole('alert')]).toEqual(['', null]);
  });
});
