/** Elements that the Tab key can focus. */
const STOPS = 'a[href], button, input, select, textarea, summary, [tabindex="0"]';

/** Parts of a page. */
const PARTS = 'main, header, nav, aside';

/** The position of an element: its parent, and its index among the parent's children. */
interface Place {
  readonly parent: Element;
  readonly at: number;
}

/**
 * Keeps the focus in place for keyboard users. When the focused element is removed, such as a table
 * row, the focus moves to the element that took its place. After navigation, the focus moves to the
 * page. When a focused message or another live region is removed, the focus returns to the
 * previously focused element. Dialogs restore the focus themselves, unless their opener is removed
 * with them.
 */
export function keepFocus(root: Element): () => void {
  let last: Element | undefined;
  /** The last focused element outside of parts that appear and disappear by themselves. */
  let home: Element | undefined;
  let places: readonly Place[] = [];
  /** The page on which `home` had the focus. */
  let page = '';
  const check = () => {
    if (last === undefined || last.isConnected || document.activeElement !== document.body) return;
    const kept = location.pathname === page ? places : [];
    const next = home instanceof HTMLElement && home.isConnected ? home : inPlaceOf(kept);
    next?.focus({ preventScroll: true });
  };
  // Waits for a task, so that components that move the focus themselves can do so first.
  const observer = new MutationObserver(() => {
    if (last?.isConnected === false) setTimeout(check);
  });
  const remember = (target: EventTarget | null) => {
    if (!(target instanceof Element)) return;
    last = target;
    if (root.contains(target) && target.closest('[aria-live]') === null) {
      home = target;
      page = location.pathname;
      places = placesOf(target, root);
    }
    observer.disconnect();
    // An element is removed when it or one of its ancestors is removed from its parent. So this
    // observes the children of all ancestors.
    for (let one = target.parentElement; one !== null; one = one.parentElement)
      observer.observe(one, { childList: true });
    for (const { parent } of places) observer.observe(parent, { childList: true });
  };
  const onFocus = ({ target }: FocusEvent) => remember(target);
  document.addEventListener('focusin', onFocus);
  // A field of the first page may have the focus already.
  remember(document.activeElement);
  return () => {
    observer.disconnect();
    document.removeEventListener('focusin', onFocus);
  };
}

/** Returns the positions from the innermost element to the outermost. */
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

/**
 * Returns the next stop in the same list or part. Without one, returns the row, the part or the new
 * page itself, so that the Tab key continues from there.
 */
function inPlaceOf(places: readonly Place[]): HTMLElement | undefined {
  const kept = places.filter(({ parent }) => parent.isConnected);
  for (const { parent, at } of kept) {
    // Stops at the page itself. Its children are the parts of the page, the first of which is the
    // skip link.
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

/** Makes a part focusable until the focus leaves it. */
function focusable(part: HTMLElement | null | undefined): HTMLElement | undefined {
  if (part?.hasAttribute('tabindex') === false) {
    part.tabIndex = -1;
    part.addEventListener('blur', () => part.removeAttribute('tabindex'), { once: true });
  }
  return part ?? undefined;
}
