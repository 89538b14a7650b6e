import { render, screen } from '@testing-library/react';
import type { Attached } from 'fixpoint';
import { expect, test } from 'vitest';
import { useKeyring } from './index.ts';

function Members({ attached }: { attached: Attached | undefined }) {
  const log = useKeyring(attached)?.log;
  return <p>{log === undefined ? 'no list' : log.members.map(({ name }) => name).join()}</p>;
}

test('renders the members of an attached database once they are known', async () => {
  const attached = {
    onStatus: () => () => undefined,
    devices: { keyring: async () => ({ log: { members: [{ name: 'Ada' }, { name: 'Bob' }] } }) },
  } as unknown as Attached;
  const { rerender } = render(<Members attached={undefined} />);
  expect(screen.queryByText('no list')).not.toBeNull();
  rerender(<Members attached={attached} />);
  expect(await screen.findByText('Ada,Bob')).not.toBeNull();
});
