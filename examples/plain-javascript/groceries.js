import { fixpoint } from 'fixpoint';
import { liveFind } from 'fixpoint/live';

const db = fixpoint('groceries');
const groceries = liveFind(db, { sort: { title: 'asc' } });
const form = document.querySelector('form');
const list = document.querySelector('ul');
const alert = document.querySelector('[role=alert]');

/** Shows errors on the page instead of ignoring them. */
function fail(error) {
  alert.hidden = false;
  alert.textContent = error.message;
}

function show() {
  const { docs, error } = groceries.current();
  if (error) fail(error);
  list.replaceChildren(
    ...docs.map(({ _id, title }) => {
      const item = document.createElement('li');
      const bought = document.createElement('button');
      bought.textContent = '✓';
      bought.ariaLabel = `Bought ${title}`;
      bought.onclick = () => db.del(_id).catch(fail);
      item.append(title, ' ', bought);
      return item;
    }),
  );
}

form.onsubmit = (event) => {
  event.preventDefault();
  db.put({ title: form.elements.title.value })
    .then(() => form.reset())
    .catch(fail);
};

// The listener is called after each change of the result, including changes of other tabs.
groceries.subscribe(show);
