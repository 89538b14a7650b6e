import { ImgFile, useFind, usePresence, useSyncStatus } from '@fixpoint/react';
import type { Attached } from 'fixpoint';
import type { SessionUser } from 'fixpoint/session';
import { type FormEvent, useEffect, useState, useSyncExternalStore } from 'react';
import type { ListDatabase } from './model.ts';
import { smaller } from './photo.ts';

type Item = Awaited<ReturnType<ListDatabase['items']['get']>>;

const SYNC = {
  connecting: 'Connecting …',
  'catching-up': 'Syncing …',
  'in-sync': 'Up to date',
  offline: 'Offline. Your changes are saved on this device, and sent later.',
  refused: 'The server rejects this device. Sign out, then sign in again.',
  'store-lost': 'The browser removed the list from this device. Reload the page.',
};

interface ListProps {
  database: ListDatabase;
  /** Undefined if the list is only on this device. */
  attached?: Attached;
  user?: SessionUser;
  title?: string;
  canWrite?: boolean;
}

/** Shows the list, who else looks at it, and whether it is synced. */
export function List({ database, attached, user, title = 'Shopping list', canWrite = true }: ListProps) {
  const found = useFind(database.items, { sort: { at: 'asc' } });
  const sync = useSyncStatus(attached);
  const isOnline = useSyncExternalStore(onNetworkChange, () => navigator.onLine);
  const state = isOnline ? (sync?.state ?? 'connecting') : 'offline';
  const [draft, setDraft] = useState('');
  const [removed, setRemoved] = useState<Item>();
  const [failed, setFailed] = useState<Error>();
  const others = useOthers(attached, user, draft !== '');
  const error = failed ?? found.error;
  const attempt = (work: Promise<unknown>) => void work.then(() => setFailed(undefined), setFailed);
  const add = (event: FormEvent) => {
    event.preventDefault();
    attempt(database.items.put({ title: draft, bought: false, at: Date.now() }).then(() => setDraft('')));
  };
  const change = (id: string, fields: { bought?: boolean; _files?: { photo: File } }) =>
    attempt(database.items.update(id, (item) => item && { ...item, ...fields }));
  const addPhoto = async (id: string, [file]: Iterable<File>) =>
    file && change(id, { _files: { photo: await smaller(file) } });
  const remove = (item: Item) => attempt(database.items.del(item._id).then(() => setRemoved(item)));
  const undo = (item: Item) => attempt(database.items.put(item).then(() => setRemoved(undefined)));
  return (
    <main>
      <h1>{title}</h1>
      <p role="status">{attached ? SYNC[state] : 'Only on this device'}</p>
      <p className="others">{others.join(', ')}</p>
      {error && <p role="alert">Couldn’t save or read the list: {error.message}</p>}
      <fieldset disabled={!canWrite}>
        <form onSubmit={add}>
          <input
            aria-label="What to buy"
            placeholder={canWrite ? 'What to buy' : 'You may only read this list'}
            required
            value={draft}
            onChange={({ target }) => setDraft(target.value)}
          />
          <button type="submit">Add</button>
        </form>
        <ul aria-busy={!found.hydrated}>
          {found.docs.map((item: Item) => (
            <li key={item._id}>
              <label className={item.bought ? 'bought' : ''}>
                <input
                  type="checkbox"
                  checked={item.bought}
                  onChange={({ target }) => change(item._id, { bought: target.checked })}
                />
                {item.title}
              </label>
              <ImgFile file={item._files?.['photo']} alt={`${item.title}: photo`} />
              <label className="photo">
                <span aria-hidden="true">Photo</span>
                <input
                  type="file"
                  accept="image/*"
                  aria-label={`Choose a photo of ${item.title}`}
                  onChange={({ target }) => attempt(addPhoto(item._id, target.files ?? []))}
                />
              </label>
              <button type="button" aria-label={`Remove ${item.title}`} onClick={() => remove(item)}>
                ×
              </button>
            </li>
          ))}
        </ul>
      </fieldset>
      {found.hydrated && found.docs.length === 0 && <p>The list is empty.</p>}
      {removed && (
        <p role="status">
          Removed {removed.title}.{' '}
          <button type="button" onClick={() => undo(removed)}>
            Undo
          </button>
        </p>
      )}
    </main>
  );
}

/** The browser notices a lost network before the connection of the database does. */
function onNetworkChange(changed: () => void) {
  for (const event of ['online', 'offline']) addEventListener(event, changed);
  return () => ['online', 'offline'].forEach((event) => void removeEventListener(event, changed));
}

/** Shows this person to the others. Returns a text for each of the others. */
function useOthers(attached: Attached | undefined, user: SessionUser | undefined, typing: boolean) {
  const { others, update } = usePresence<{ name: string; typing: boolean }>(attached);
  const name = user?.name.slice(0, 80) ?? '';
  useEffect(() => update({ name, typing }), [update, name, typing]);
  const texts = new Map<string, string>();
  // A person with two tabs appears twice. Clients may send any state.
  for (const { user: id, state } of others)
    if (id !== user?.userId && (state.typing === true || !texts.has(id)))
      texts.set(id, `${state.name} ${state.typing === true ? 'is typing …' : 'is here'}`);
  return [...texts.values()];
}
