/** The search of the documentation site. Loads the index when a user first enters the field. */
import MiniSearch from 'minisearch';
import { SEARCH_OPTIONS } from './search-options.ts';

const HITS_MAX = 12;

interface Hit {
  readonly id: string;
  readonly title: string;
  readonly heading: string;
}

function start(box: HTMLElement): void {
  const input = box.querySelector('input');
  const found = box.querySelector<HTMLElement>('#found');
  const address = new URL(box.dataset['index'] ?? '', location.href);
  if (input === null || found === null) return;
  let loading: Promise<MiniSearch> | undefined;

  const load = () => {
    loading ??= fetch(address).then(async (answer) => {
      if (!answer.ok) throw new Error(`the search index answered ${answer.status}`);
      return MiniSearch.loadJSON(await answer.text(), SEARCH_OPTIONS);
    });
    return loading;
  };

  const show = (text: string, hits: readonly Hit[]) => {
    found.hidden = false;
    const line = document.createElement('p');
    line.textContent = text;
    const items = hits.map(({ id, title, heading }) => {
      const item = document.createElement('li');
      const link = document.createElement('a');
      link.href = new URL(id, address).href;
      link.textContent = heading === '' ? title : `${title}: ${heading}`;
      item.append(link);
      return item;
    });
    const list = document.createElement('ul');
    for (const item of items) list.append(item);
    found.replaceChildren(line, list);
  };

  const search = async () => {
    const text = input.value.trim();
    if (text === '') {
      found.hidden = true;
      return;
    }
    try {
      const index = await load();
      if (input.value.trim() !== text) return;
      const hits = index.search(text).slice(0, HITS_MAX) as unknown as Hit[];
      show(hits.length === 0 ? `Nothing found for “${text}”. Try another word.` : 'Pages found:', hits);
    } catch {
      loading = undefined;
      show('The search could not be loaded. Check your connection, then type again.', []);
    }
  };

  input.addEventListener('focus', () => void load().catch(() => undefined));
  input.addEventListener('input', () => void search());
  box.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape') return;
    input.value = '';
    found.hidden = true;
    input.focus();
  });
  addEventListener('keydown', (event) => {
    const isTyping = event.target instanceof HTMLInputElement || event.target instanceof HTMLTextAreaElement;
    if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    input.focus();
  });
}

const box = document.querySelector<HTMLElement>('search');
if (box !== null) start(box);
// On small screens, the list of pages would push the content out of view.
if (matchMedia('(width < 60rem)').matches) document.querySelector('details.menu')?.removeAttribute('open');
