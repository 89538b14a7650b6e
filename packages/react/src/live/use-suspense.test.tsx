import { act, cleanup, render, screen } from '@testing-library/react';
import type { Database } from 'fixpoint';
import { Component, type ReactNode, Suspense } from 'react';
import { afterEach, beforeEach, test, vi } from 'vitest';
import { freshDatabase } from '../database.fixture.ts';
import { useSuspenseAllDocs, useSuspenseFind, useSuspenseLiveQuery } from '../index.ts';

let db: Database;
beforeEach(async () => {
  db = await freshDatabase();
  await db.bulk([
    { _id: 'a', title: 'Milk', done: false },
    { _id: 'b', title: 'Salt', done: true },
  ]);
});
afterEach(cleanup);

class Boundary extends Component<{ children: ReactNode }, { error?: Error }> {
  override state: { error?: Error } = {};
  static getDerivedStateFromError = (error: Error) => ({ error });
  override render() {
    return this.state.error === undefined ? this.props.children : <p>Failed: {this.state.error.message}</p>;
  }
}

const waiting = (children: ReactNode) => (
  <Boundary>
    <Suspense fallback={<p>Loading</p>}>{children}</Suspense>
  </Boundary>
);

function Found({ done }: { done: boolean }) {
  const { docs } = useSuspenseFind<{ title: string }>(db, { where: { done }, sort: { title: 'asc' } });
  return <p>Found: {docs.map(({ title }) => title).join(' ')}</p>;
}

test('shows the fallback until documents have loaded, then follows changes and options', async () => {
  const { rerender } = render(waiting(<Found done={false} />));
  screen.getByText('Loading');
  await screen.findByText('Found: Milk');
  await act(() => db.put({ _id: 'c', title: 'Oats', done: false }));
  await screen.findByText('Found: Milk Oats');
  rerender(waiting(<Found done={true} />));
  await screen.findByText('Found: Salt');
});

test('keeps apart what components with other options and other captured values wait for', async () => {
  const Query = ({ word }: { word: { text: string } }) => {
    const { rows } = useSuspenseLiveQuery(db, (doc, emit) => void emit(`${doc['title']}${word.text}`), {
      deps: [word],
    });
    return <p>Rows: {rows.map(({ key }) => String(key)).join(' ')}</p>;
  };
  const All = () => <p>All: {useSuspenseAllDocs(db).docs.length}</p>;
  const [one, two] = [{ text: '!' }, { text: '?' }];
  render(
    waiting(
      <>
        <Query word={one} />
        <Query word={two} />
        <All />
      </>,
    ),
  );
  await screen.findByText('Rows: Milk! Salt!');
  screen.getByText('Rows: Milk? Salt?');
  screen.getByText('All: 2');
});

test('passes an error to the nearest boundary', async () => {
  vi.spyOn(console, 'error').mockReturnValue(undefined);
  const Wrong = () => <p>{useSuspenseFind(db, { limit: -1 }).docs.length}</p>;
  render(waiting(<Wrong />));
  await screen.findByText(/^Failed: query options are not valid/);
});
