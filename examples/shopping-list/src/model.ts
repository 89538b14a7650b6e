import { collection, fixpoint } from 'fixpoint';
import { createSession, type Session } from 'fixpoint/session';
import { boolean, number, object, string } from 'valibot';

const items = collection('items', {
  schema: object({ title: string(), bought: boolean(), at: number() }),
  indexes: ['at'],
  // If one person ticks an item off while another one adds a photo, both changes are kept.
  merge: 'fields',
});

const { VITE_FIXPOINT_URL: base, VITE_FIXPOINT_APP: app } = import.meta.env;

/** Undefined until the file `.env` names a server: the list then stays on this device. */
export const session = base && app ? createSession({ base, app }) : undefined;

export const openOwnList = () => fixpoint('shopping-list', { collections: { items } });

export type ListDatabase = ReturnType<typeof openOwnList>;

/** Opens the first list that the signed-in person may read. Returns null if there is none. */
export async function openFirstList({ databases, open }: Session) {
  // An end-to-end encrypted database needs people who approve devices, which this app leaves out.
  const first = (await databases()).find(({ kind }) => kind !== 'sealed');
  if (first === undefined) return null;
  const options = { kind: 'open-key', files: 'always', collections: { items } } as const;
  return { ...(await open(first.ledgerId, options)), title: first.name, canWrite: first.right === 'write' };
}
