import { FixpointError } from '@fixpoint/protocol';
import { act, screen } from '@testing-library/react';
import type { Attached } from 'fixpoint';
import { describe, expect, test } from 'vitest';
import { appWith } from '../../../cloud/app.fixture.ts';
import { drawPart } from '../../../cloud/part.fixture.tsx';
import { waiting, withPages } from '../../../ui/pages.fixture.tsx';
import { attachedWith } from '../attached.fixture.ts';
import { KindBadge } from './kind-badge.tsx';
import { KindField } from './kind-field.tsx';
import { ledgerKindIn } from './ledger-kinds.ts';

withPages();

describe('the badge of a ledger’s kind', () => {
  test('appears once the first write has settled the kind', async () => {
    let kind: ReturnType<Attached['kind']>;
    const { attached, become } = attachedWith({ kind: () => kind });
    const attaching = waiting<Attached>();
    await drawPart(() => <KindBadge attached={attaching.promise} />, appWith({}));
    await attaching.come(attached);
    expect(screen.queryByTitle(/./)).toBeNull();
    kind = 'sealed';
    await become({ toSend: 1 });
    expect(screen.getByTitle(/Only devices that you approve/).textContent).toContain('End-to-end encrypted');
  });

  test('shows nothing for a database that couldn’t be attached', async () => {
    const failed = Promise.reject(new FixpointError('FETCH'));
    await drawPart(() => <KindBadge attached={failed} />, appWith({}));
    expect([
      screen.queryByText('The server can read this database'),
      screen.queryByText('End-to-end encrypted'),
    ]).toEqual([null, null]);
  });
});

describe('the choice of a new ledger’s kind', () => {
  test('starts with open-key, describes both kinds, and sends the choice with its form', async () => {
    const Page = () => (
      <form aria-label="New database">
        <KindField />
      </form>
    );
    await drawPart(Page, appWith({}));
    const chosen = () => new FormData(screen.getByRole<HTMLFormElement>('form')).get('kind');
    expect(
      screen.getByRole('group', { name: 'Who can read it (a later change creates a new database)' }),
    ).toBeDefined();
    expect(chosen()).toBe('open-key');
    const sealed = screen.getByRole('radio', { name: 'End-to-end encrypted' });
    const described = document.getElementById(sealed.getAttribute('aria-describedby') ?? '');
    expect(described?.textContent).toMatch(/the documents are lost/);
    await act(async () => sealed.click());
    expect(chosen()).toBe('sealed');
  });

  test.each(['', 'constructor', 'Sealed', 'open-key '])('rejects any other text as a kind: "%s"', (text) => {
    expect(ledgerKindIn(text)).toBeUndefined();
  });
});
