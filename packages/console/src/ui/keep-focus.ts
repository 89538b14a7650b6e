/** What can have the focus by the Tab key. */
const STOPS = 'a[href], button, input, select, textarea, summary, [tabindex="0"]';

/** Parts of a page. */
const PARTS = 'main, header, nav, aside';

/** Where an element stands: which child of an element it is, or a part of. */
interface Place {
  readonly parent: Element;
  readonly at: number;
}

/**
 * Who works by keys goes on from where he is. When what has the focus goes, as a row that is removed does, the focus goes to what took its place; to the page, when
 * another page did; and from a message or another live part, to where it was before. Dialogs give it back by themselves, unless what opened them is gone with them.
 */
export function keepFocus(root: Element): () => void {
  let last: Element | undefined;
  /** The last one that was in no part that comes and goes by itself. */
  let home: Element | undefined;
  let places: readonly Place[] = [];
  const check = () => {
    if (last === undefined || last.isConnected || document.activeElement !== document.body) return;
    const next = home instanceof HTMLElement && home.isConnected ? home : inPlaceOf(places);
    next?.focus({ preventScroll: true });
  };
  // Parts that move the focus by themselves come first.
  const observer = new MutationObserver(() => {
    if (last?.isConnected === false) setTimeout(check);
  });
  const remember = ({ target }: FocusEvent) => {
    if (!(target instanceof Element)) return;
    last = target;
    if (root.contains(target) && target.closest('[aria-live]') === null) {
      home = target;
      places = placesOf(target, root);
    }
    observer.disconnect();
    // Whatever takes it out of the page takes a child of one of these.
    for (let one = target.parentElement; one !== null; one = one.parentElement)
      observer.observe(one, { childList: true });
    for (const { parent } of places) observer.observe(parent, { childList: true });
  };
  document.addEventListener('focusin', remember);
  return () => {
    observer.disconnect();
    document.removeEventListener('focusin', remember);
  };
}

/** From the innermost to the outermost. */
function placesOf(element: Element, root: Element): readonly Place[] {
  const places: Place[] = [];
  for (let one = element; one !== root; ) {
    const parent = one.parentElement;
    if (parent === null) break;
    places.push({ parent, at: [...parent.children].indexOf(one) });
    one = parent;
  }
  return places;
}

/** The next stop in the same list or part; where there is none, the row or part itself, or what another page shows, so that the Tab key goes on from there. */
function inPlaceOf(places: readonly Place[]): HTMLElement | undefined {
  const kept = places.filter(({ parent }) => parent.isConnected);
  for (const { parent, at } of kept) {
    // Around it are the parts of a page, of which the first is the way past them.
    if (parent.matches('main') || parent.closest(PARTS) === null) break;
    const stop = stopNear([...parent.children], at);
    if (stop !== undefined) return stop;
    if (parent.matches('ul, ol, form, section')) break;
  }
  return focusable(
    kept[0]?.parent.closest<HTMLElement>('li, section, main') ?? document.querySelector<HTMLElement>('main'),
  );
}

function stopNear(children: readonly Element[], at: number): HTMLElement | undefined {
  for (const child of [...children.slice(at), ...children.slice(0, at).reverse()]) {
    const stop = [child, ...child.querySelectorAll(STOPS)].find(isStop);
    if (stop !== undefined) return stop;
  }
  return undefined;
}

const isStop = (one: Element): one is HTMLElement =>
  one instanceof HTMLElement && one.matches(STOPS) && !one.matches(':disabled') && one.checkVisibility();

/** One that is no stop by itself can have the focus until it goes elsewhere. */
function focusable(part: HTMLElement | null | undefined): HTMLElement | undefined {
  if (part?.hasAttribute('tabindex') === false) {
    part.tabIndex = -1;
    part.addEventListener('blur', () => part.removeAttribute('tabindex'), { once: true });
  }
  return part ?? undefined;
}
