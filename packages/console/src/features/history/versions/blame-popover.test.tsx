import { act, screen, waitFor, within } from '@testing-library/react';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { drawPages, withPages } from '../../../ui/pages.fixture.tsx';
import { AnchoredBlame } from './blame-popover.tsx';
import { FieldAuthorMark } from './field-author-mark.tsx';
import type { FieldAuthor } from './field-authors.ts';

withPages();

const ADA: FieldAuthor = {
  person: 'Ada Lovelace',
  name: 'Ada Lovelace',
  ago: '2 minutes ago',
  event: 'event-1',
  atMs: Date.UTC(2026, 10, 21, 9, 14, 2),
};

interface Given {
  readonly author?: FieldAuthor;
  readonly field?: string;
  readonly value?: string;
  readonly historyPath?: string | undefined;
}

async function draw(given: Given = {}) {
  const props = {
    author: ADA,
    field: 'family',
    value: 'Semitic',
    historyPath: '/history?document=a' as string | undefined,
    ...given,
  };
  await drawPages([{ path: '/', element: <FieldAuthorMark {...props} /> }], '/');
}

const opened = async () => {
  await act(async () => screen.getByRole('button').click());
  return within(await screen.findByRole('dialog'));
};

describe('the author of a field', () => {
  test('is a button that says who changed the field, and when', async () => {
    await draw();
    expect(screen.getByRole('button', { name: 'Changed by Ada Lovelace, 2 minutes ago' })).toBeDefined();
    expect(screen.queryByRole('dialog')).toBe(null);
  });

  test('shows only the name of an author without a picture, because the time has no room', async () => {
    await draw({ author: { ...ADA, person: undefined, name: 'This device' } });
    const button = screen.getByRole('button', { name: 'Changed by This device, 2 minutes ago' });
    expect(button.querySelector('[aria-hidden].truncate')?.textContent).toBe('This device');
  });

  test('shows the exact time and the value after a press', async () => {
    await draw();
    const details = await opened();
    expect(details.getByText('Ada Lovelace')).toBeDefined();
    expect(details.getByText(/2026.*:14:02/)).toBeDefined();
    expect(details.getByText('Semitic').tagName).toBe('INS');
  });

  test('leads to the change, and to all versions of the field', async () => {
    await draw();
    const details = await opened();
    const hrefs = details.getAllByRole('link').map((one) => [one.textContent, one.getAttribute('href')]);
    expect(hrefs).toEqual([
      ['Show change', '/history?document=a&event=event-1'],
      ['All versions of this field', '/history?document=a&changed=family'],
    ]);
  });

  test.each([
    ['an empty text', '', '(empty)'],
    ['a long text', 'x'.repeat(200), `${'x'.repeat(120)}…`],
    ['markup', '<b>x</b>', '<b>x</b>'],
  ])('shows %s as text', async (_what, value, shown) => {
    await draw({ value });
    const details = await opened();
    expect(details.getByText(shown).tagName).toBe('INS');
  });

  test('encodes the name of the field', async () => {
    await draw({ field: '__proto__ &#' });
    const details = await opened();
    const href = details.getByRole('link', { name: 'All versions of this field' }).getAttribute('href');
    expect(new URL(href ?? '', 'http://localhost').searchParams.get('changed')).toBe('__proto__ &#');
  });

  test('closes with Escape, and gives the focus back', async () => {
    await draw();
    screen.getByRole('button').focus();
    await opened();
    await act(async () => {
      document.activeElement?.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true }));
    });
    await waitFor(() => expect(screen.queryByRole('dialog')).toBe(null));
  });

  test.each<[string, Given]>([
    [
      'a field that isn’t saved yet',
      { author: { person: undefined, name: 'You', ago: 'not saved yet', isUnsaved: true } },
    ],
    ['a document without a history', { historyPath: undefined }],
  ])('shows only a text for %s', async (_what, given) => {
    await draw(given);
    expect(screen.queryByRole('button')).toBe(null);
    expect(screen.getByText(/^Changed by /)).toBeDefined();
  });
});

describe('the author beside a line of JSON', () => {
  async function anchored(given: Partial<FieldAuthor>, historyPath?: string) {
    const onClose = vi.fn();
    const anchor = document.body.appendChild(document.createElement('span'));
    onTestFinished(() => anchor.remove());
    const author = { ...ADA, ...given };
    const props = { author, field: 'family', value: 'Semitic', historyPath, anchor, onClose };
    await drawPages([{ path: '/', element: <AnchoredBlame {...props} /> }], '/');
    return { onClose, details: within(await screen.findByRole('dialog', { name: 'Author of family' })) };
  }
  const linksIn = (details: Awaited<ReturnType<typeof anchored>>['details']) =>
    details.queryAllByRole('link').map(({ textContent }) => textContent);

  test('shows name, time and links at once, and closes with Escape', async () => {
    const { details, onClose } = await anchored({}, '/history?document=a');
    expect(details.getByText('Ada Lovelace')).toBeDefined();
    expect(details.getByText(/2026.*:14:02/)).toBeDefined();
    expect(linksIn(details)).toEqual(['Show change', 'All versions of this field']);
    const link = details.getByRole('link', { name: 'Show change' });
    await act(async () => {
      link.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true }));
    });
    expect(onClose).toHaveBeenCalledTimes(1);
  });

  test('leads to no change of a field that isn’t saved, and says so', async () => {
    const unsaved = { name: 'You', ago: 'not saved yet', event: undefined, atMs: undefined };
    const { details } = await anchored(unsaved, '/history?document=a');
    expect(details.getByText('not saved yet')).toBeDefined();
    expect(linksIn(details)).toEqual(['All versions of this field']);
  });

  test('leads nowhere without a history', async () => {
    expect(linksIn((await anchored({})).details)).toEqual([]);
  });
});
