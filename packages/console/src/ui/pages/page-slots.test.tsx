import { act, screen } from '@testing-library/react';
import { useMemo, useState } from 'react';
import { describe, expect, test } from 'vitest';
import { drawPages, withPages } from '../pages.fixture.tsx';
import { Breadcrumb, Card, PageHeader } from './page.tsx';
import { InSlot, PageSlotsContext } from './page-slots.tsx';

withPages();

/** Renders a page in a frame with a place for its path and its title line. */
function Framed({ children }: { children: React.ReactNode }) {
  const [crumbs, setCrumbs] = useState<HTMLElement | null>(null);
  const [title, setTitle] = useState<HTMLElement | null>(null);
  const [beside, setBeside] = useState<HTMLElement | null>(null);
  const [actions, setActions] = useState<HTMLElement | null>(null);
  const slots = useMemo(
    () => ({ crumbs, title, beside, actions, setBeside, setActions }),
    [crumbs, title, beside, actions],
  );
  return (
    <PageSlotsContext value={slots}>
      <div ref={setCrumbs} data-testid="crumbs" />
      <div ref={setTitle} data-testid="title" />
      <main>{children}</main>
    </PageSlotsContext>
  );
}

const draw = (element: React.ReactNode) => drawPages([{ path: '/', element }], '/');
const textIn = (place: string) => screen.getByTestId(place).textContent;

describe('the parts of a page in its frame', () => {
  test('moves the path, the title line and the actions, and keeps the rest in the page', async () => {
    await draw(
      <Framed>
        <PageHeader
          title="Notes"
          lead="All notes."
          crumbs={[{ text: 'Databases', to: '/' }, { text: 'Notes' }]}
        >
          <button type="button">Rename</button>
        </PageHeader>
        <InSlot name="actions">
          <button type="button">Save</button>
        </InSlot>
        <InSlot name="beside">Locked</InSlot>
      </Framed>,
    );
    expect([textIn('crumbs'), textIn('title')]).toEqual(['Databases/Notes', 'NotesLockedSaveRename']);
    expect(screen.getByRole('main').textContent).toBe('All notes.');
  });

  test('shows all parts where they are without a frame', async () => {
    await draw(
      <main>
        <PageHeader title="Notes" crumbs={[{ text: 'Notes' }]} />
        <InSlot name="actions">
          <button type="button">Save</button>
        </InSlot>
      </main>,
    );
    expect(screen.getByRole('main').textContent).toBe('NotesNotesSave');
  });

  test('waits for a title line that has a place for actions', async () => {
    let show: (isShown: boolean) => void = () => undefined;
    function Page() {
      const [isShown, set] = useState(false);
      show = set;
      return (
        <Framed>
          {isShown && <PageHeader title="Notes" />}
          <InSlot name="actions">Save</InSlot>
        </Framed>
      );
    }
    await draw(<Page />);
    expect(screen.queryByText('Save')).toBeNull();
    await act(async () => show(true));
    expect(textIn('title')).toBe('NotesSave');
    await act(async () => show(false));
    expect(screen.queryByText('Save')).toBeNull();
  });

  test('empties the frame when the page is left', async () => {
    let isLeft = (): void => undefined;
    function Page() {
      const [isShown, set] = useState(true);
      isLeft = () => set(false);
      return <Framed>{isShown && <PageHeader title="Notes" crumbs={[{ text: 'Notes' }]} />}</Framed>;
    }
    await draw(<Page />);
    await act(async () => isLeft());
    expect([textIn('crumbs'), textIn('title')]).toEqual(['', '']);
  });
});

describe('the title line of a page', () => {
  test('has the title as its heading, with the full text of a long title in a tooltip', async () => {
    const name = 'n'.repeat(500);
    await draw(
      <PageHeader title={name} beside={<span>Local only</span>} tabs={<a href="/query">Query</a>} />,
    );
    const heading = screen.getByRole('heading', { level: 1 });
    expect([heading.textContent, heading.title]).toEqual([name, name]);
    expect(heading.parentElement?.textContent).toBe(`${name}Local onlyQuery`);
  });

  test('hides the separators of the path from screen readers', async () => {
    await draw(<Breadcrumb crumbs={[{ text: 'a', to: '/a' }, { text: 'a', to: '/b' }, { text: 'a' }]} />);
    expect(screen.getAllByRole('listitem').map(({ textContent }) => textContent)).toEqual(['a', 'a', 'a']);
  });
});

describe('a card', () => {
  test('has its title as a heading below the page’s title, and its actions next to it', async () => {
    await draw(
      <Card
        title="Danger zone"
        tone="danger"
        lead="This can’t be undone."
        actions={<button type="button">Help</button>}
      >
        <button type="button">Delete</button>
      </Card>,
    );
    const heading = screen.getByRole('heading', { level: 2, name: 'Danger zone' });
    expect(heading.parentElement?.textContent).toBe('Danger zoneHelp');
    expect(screen.getByText('This can’t be undone.')).toBeDefined();
    expect(screen.getByRole('button', { name: 'Delete' })).toBeDefined();
  });

  test('has no heading without a title', async () => {
    await draw(<Card>content</Card>);
    expect(screen.queryByRole('heading')).toBeNull();
  });
});
