import { fixpoint } from 'fixpoint';

const db = fixpoint('groceries');
const form = document.querySelector('form');
const list = document.querySelector('ul');
const alert = document.querySelector('[role=alert]');

/** Shows errors on the page instead of ignoring them. */
const attempt = (work) =>
  work.catch((error) => {
    alert.hidden = false;
    alert.textContent = error.message;
  });

async function show() {
  const { rows } = await db.query('title');
  list.replaceChildren(
    ...rows.map(({ id, key }) => {
      const item = document.createElement('li');
      const bought = document.createElement('button');
      bought.textContent = '✓';
      bought.ariaLabel = `Bought ${key}`;
      bought.onclick = () => attempt(db.del(id));
      item.append(key, ' ', bought);
      return item;
    }),
  );
}

form.onsubmit = (event) => {
  event.preventDefault();
  attempt(db.put({ title: form.elements.title.value }).then(() => form.reset()));
};

// The listener is called after each change, including changes of other tabs.
db.subscribe(() => attempt(show()));
attempt(show());
