import { QueryClient, QueryClientProvider, queryOptions, useQuery } from '@tanstack/react-query';
import { act, cleanup, render, screen } from '@testing-library/react';
import { afterEach, expect, test } from 'vitest';
import { waiting } from '../../ui/pages.fixture.tsx';
import { useAreAnswered } from './use-are-answered.ts';

afterEach(cleanup);

const CALLS_MAX = 20;

/** Renders a page that shows a part once the query is answered. The part runs the same query. */
function page(queryFn: (key: string) => Promise<string>) {
  const asked = (key: string) => queryOptions({ queryKey: [key], queryFn: () => queryFn(key) });
  function Part({ name }: { name: string }) {
    const { data, error } = useQuery(asked(name));
    return <p>{data ?? error?.message ?? 'waiting'}</p>;
  }
  const Page = ({ name }: { name: string }) =>
    useAreAnswered([asked(name)]) ? <Part name={name} /> : <p>skeleton</p>;
  const queries = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  const drawn = (name: string) => (
    <QueryClientProvider client={queries}>
      <Page name={name} />
    </QueryClientProvider>
  );
  const { rerender } = render(drawn('first'));
  return { show: (name: string) => rerender(drawn(name)) };
}

test('keeps showing a part whose failed query runs again', async () => {
  let calls = 0;
  page(() => {
    calls += 1;
    // Without a limit, a page that hides the part would keep the test busy for ever.
    return calls < CALLS_MAX ? Promise.reject(new Error('refused')) : new Promise(() => undefined);
  });
  expect(await screen.findByText('refused')).toBeDefined();
  await act(async () => undefined);
  expect(calls).toBeLessThanOrEqual(2);
});

test('waits again for the queries of another page', async () => {
  const second = waiting<string>();
  const { show } = page((key) => (key === 'first' ? Promise.resolve('one') : second.promise));
  expect(await screen.findByText('one')).toBeDefined();
  show('second');
  expect(screen.getByText('skeleton')).toBeDefined();
  await second.come('two');
  expect(await screen.findByText('two')).toBeDefined();
});
