import { useFixpoint } from '@fixpoint/react';

interface Note {
  text: string;
  at: number;
}

/**
 * Shows the notes of this browser, newest first. Notes survive a reload, and other tabs show them
 * immediately.
 */
export function Notes() {
  const { database, useDocument, useLiveQuery } = useFixpoint('notes');
  const { doc, merge, submit, error: unsaved } = useDocument<Note>({ text: '', at: 0 });
  const { docs, hydrated, error: unread } = useLiveQuery<Note>('at', { descending: true });
  const error = unsaved ?? unread;
  return (
    <main>
      <h1>Notes</h1>
      {error !== undefined && <p role="alert">{error.message}</p>}
      <form onSubmit={submit}>
        <input
          aria-label="Note"
          required
          value={doc.text}
          onChange={({ target }) => merge({ text: target.value, at: Date.now() })}
        />
        <button type="submit">Add</button>
      </form>
      <ul aria-busy={!hydrated}>
        {docs.map(({ _id, text }) => (
          <li key={_id}>
            {text}{' '}
            <button type="button" aria-label={`Remove ${text}`} onClick={() => void database.del(_id)}>
              ×
            </button>
          </li>
        ))}
      </ul>
      {import.meta.env.DEV && (
        <p>
          <a href="/fp/databases/notes">What is in the database</a>
        </p>
      )}
    </main>
  );
}
