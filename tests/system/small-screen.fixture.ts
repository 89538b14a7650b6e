/** Checks of pages in small windows that axe doesn't make. */
import type { Page } from 'playwright-core';

/**
 * Returns the controls that a part of the page cuts off, and the controls that other parts cover
 * entirely while they have the focus (WCAG 1.4.10 and 2.4.11).
 */
export async function hiddenControls(page: Page): Promise<string[]> {
  return page.evaluate(async () => {
    const nameOf = (one: Element) =>
      `${one.tagName.toLowerCase()} "${(one.getAttribute('aria-label') ?? one.textContent ?? '').trim().slice(0, 60)}"`;
    const isScroller = (one: Element) => /auto|scroll/.test(getComputedStyle(one).overflowX);
    const isCut = (control: Element): boolean => {
      const { left, right } = control.getBoundingClientRect();
      for (let part = control.parentElement; part !== null; part = part.parentElement) {
        if (isScroller(part)) return false;
        const box = part.getBoundingClientRect();
        const isClipping =
          part === document.documentElement || getComputedStyle(part).overflowX !== 'visible';
        if (isClipping && (right > box.right + 1 || left < box.left - 1)) return true;
      }
      return false;
    };
    const isCovered = (control: Element): boolean => {
      const { left, right, top, bottom } = control.getBoundingClientRect();
      const [x, y] = [(left + right) / 2, (top + bottom) / 2];
      const points = [
        [x, y],
        [x, top + 2],
        [x, bottom - 2],
        [left + 2, y],
        [right - 2, y],
      ] as const;
      return points.every(([atX, atY]) => {
        const hit = document.elementFromPoint(atX, atY);
        const label = hit?.closest('label')?.control;
        return hit === null || !(control.contains(hit) || hit.contains(control) || label === control);
      });
    };
    const root = document.querySelector('[role=dialog], [role=menu]') ?? document.querySelector('main');
    const controls = [
      ...(root?.querySelectorAll<HTMLElement>('a[href], button, input, select, textarea, [role^=menuitem]') ??
        []),
    ].filter(
      (one) =>
        one.checkVisibility({ opacityProperty: true, visibilityProperty: true }) &&
        one.getBoundingClientRect().width > 1 &&
        !one.matches(':disabled, .sr-only'),
    );
    const cut = controls.filter(isCut).map((one) => `cut off: ${nameOf(one)}`);
    const covered: string[] = [];
    for (const control of controls) {
      control.focus();
      await new Promise(requestAnimationFrame);
      if (document.activeElement === control && isCovered(control))
        covered.push(`covered: ${nameOf(control)}`);
    }
    return [...cut, ...covered];
  });
}
