/** @jsxImportSource solid-js */
import { useDocument, useFind } from '@fixpoint/solid';
import { fixpoint } from 'fixpoint';
import { createSignal, For, Show } from 'solid-js';

interface Task {
  title: string;
  done: boolean;
  at: number;
}

const db = fixpoint<Task>('tasks', { indexes: ['at'] });

/** Shows the tasks of this browser. They survive a reload, and other tabs show them immediately. */
export function Tasks() {
  const [all, setAll] = createSignal(false);
  // The options are a function, so the list follows `all`.
  const tasks = useFind(db, () => ({
    where: all() ? undefined : { done: false },
    sort: { at: 'asc' },
  }));
  const draft = useDocument(db, { title: '', done: false, at: 0 });
  const [failed, setFailed] = createSignal<Error>();
  const finish = (task: Task & { _id: string }) => {
    db.put({ ...task, done: !task.done }).catch(setFailed);
  };
  return (
    <main>
      <h1>Tasks</h1>
      <Show when={failed() ?? draft().error ?? tasks().error}>
        {(error) => <p role="alert">{error().message}</p>}
      </Show>
      <form onSubmit={(event) => void draft().submit(event)}>
        <input
          aria-label="Task"
          required
          value={draft().doc.title}
          onInput={({ currentTarget }) => draft().merge({ title: currentTarget.value, at: Date.now() })}
        />
        <button type="submit">Add</button>
      </form>
      <ul aria-busy={!tasks().hydrated}>
        <For each={tasks().docs}>
          {(task) => (
            <li>
              <label>
                <input type="checkbox" checked={task.done} onChange={() => finish(task)} /> {task.title}
              </label>
            </li>
          )}
        </For>
      </ul>
      <label>
        <input
          type="checkbox"
          checked={all()}
          onChange={({ currentTarget }) => setAll(currentTarget.checked)}
        />{' '}
        Show finished tasks
      </label>
    </main>
  );
}
