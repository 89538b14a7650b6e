'use client';

import { useDocument, useFind, useFixpoint } from '@fixpoint/react';
import { useState } from 'react';
import { bookmarks } from './model';

/**
 * Shows the bookmarks of this browser, newest first. The server renders an empty list, and opens no
 * database.
 */
export function Bookmarks({ isAll }: { isAll: boolean }) {
  const { database } = useFixpoint('bookmarks', { collections: { bookmarks } });
  const { docs, hydrated, error } = useFind(database.bookmarks, {
    where: isAll ? undefined : { isRead: false },
    sort: { at: 'desc' },
  });
  const { doc, merge, submit } = useDocument(database.bookmarks, { address: '', isRead: false, at: 0 });
  const [failed, setFailed] = useState<Error>();
  const attempt = (work: Promise<unknown>) => void work.then(() => setFailed(undefined), setFailed);
  const toggle = (id: string) =>
    attempt(database.bookmarks.update(id, (one) => one && { ...one, isRead: !one.isRead }));
  const wrong = failed ?? error;
  return (
    <>
      {wrong && <p role="alert">Couldn’t save or read the bookmarks: {wrong.message}</p>}
      <form onSubmit={submit}>
        <input
          type="url"
          aria-label="Address"
          placeholder="https://…"
          required
          value={doc.address}
          onChange={({ target }) => merge({ address: target.value, at: Date.now() })}
        />
        <button type="submit">Add</button>
      </form>
      <ul aria-busy={!hydrated}>
        {docs.map(({ _id, address, isRead }) => (
          <li key={_id}>
            <label>
              <input type="checkbox" checked={isRead} onChange={() => toggle(_id)} />
              <span className="hidden">Read {address}</span>
            </label>
            <a href={address} rel="noreferrer">
              {address}
            </a>
            <button
              type="button"
              aria-label={`Remove ${address}`}
              onClick={() => attempt(database.bookmarks.del(_id))}
            >
              ×
            </button>
          </li>
        ))}
      </ul>
      {hydrated && docs.length === 0 && <p>Nothing to read.</p>}
    </>
  );
}
