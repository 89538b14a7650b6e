/** Walks through pages by keyboard, and checks that the focused element is always visible. */
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { inFirefox } from './product.fixture.ts';

/** A number that is greater than the number of tab stops on any page. */
const STOPS_MAX = 60;

export interface Stop {
  readonly name: string;
  readonly isSeen: boolean;
}

/**
 * Returns the name of the focused element, and whether its outline is visible. The page itself
 * needs no outline when it has the focus, as after a navigation. Neither does a dialog.
 */
export async function focused(page: Page): Promise<Stop> {
  // Guards around dialogs and menus pass the focus on by themselves.
  await page.waitForFunction(() => document.activeElement?.matches('[data-base-ui-focus-guard]') !== true);
  return page.evaluate(() => {
    const one = document.activeElement;
    if (one === null || one === document.body || one.matches('main, [data-bound]'))
      return { name: '', isSeen: true };
    if (one.matches('[role=dialog]')) return { name: 'dialog', isSeen: true };
    const labels = (one as HTMLInputElement).labels ?? [];
    const said = one.getAttribute('aria-label') ?? labels[0]?.innerText ?? one.textContent ?? '';
    const { outlineStyle, outlineWidth } = getComputedStyle(one);
    const { width, height, top, bottom } = one.getBoundingClientRect();
    const isInView = width > 0 && height > 0 && bottom > 0 && top < innerHeight;
    const hasOutline = outlineStyle !== 'none' && Number.parseFloat(outlineWidth) >= 2;
    // The browser outlines its own button within a field for dates.
    const isPart = !one.matches(':focus');
    const isSeen = (hasOutline || isPart) && isInView;
    return { name: one.hasAttribute('data-editor') ? 'editor' : said.trim(), isSeen };
  });
}

/**
 * Keeps the focus in the page when Tab leaves its last element. In Firefox, the focus then moves to
 * the browser's own window, which gives it back only to a person: without a screen, no element of
 * the page has the focus ever after. An invisible last element takes the focus instead, as the page
 * itself does in Chromium, and Tab leads from there to the first element.
 *
 * Call it before the first page is opened.
 */
export async function keepFocusInPage(page: Page): Promise<void> {
  if (!inFirefox) return;
  await page.addInitScript(() => {
    const bound = (tabIndex: number) => {
      const one = document.createElement('span');
      one.tabIndex = tabIndex;
      one.dataset['bound'] = '';
      one.style.cssText = 'position:fixed;top:0;outline:none';
      return one;
    };
    const [first, last] = [bound(-1), bound(0)];
    const place = () => {
      if (document.body.firstChild !== first) document.body.prepend(first);
      // Dialogs and menus are added at the end.
      if (document.body.lastChild !== last && document.activeElement !== last) document.body.append(last);
    };
    last.addEventListener('keydown', (event) => {
      // The browser then moves the focus on from there.
      if (event.key === 'Tab' && !event.shiftKey) first.focus();
    });
    document.addEventListener('DOMContentLoaded', () => {
      place();
      new MutationObserver(place).observe(document.body, { childList: true });
    });
  });
}

export class Keys {
  /** Tab stops that didn't show that they have the focus. */
  readonly unseen: string[] = [];

  readonly #page: Page;

  constructor(page: Page) {
    this.#page = page;
  }

  press = (key: string) => this.#page.keyboard.press(key);
  type = (text: string) => this.#page.keyboard.type(text);

  /** Presses Tab until the element with this name has the focus. */
  async to(name: string | RegExp): Promise<void> {
    const passed = [(await focused(this.#page)).name];
    for (let stop = 0; stop < STOPS_MAX; stop += 1) {
      // In an editor, Tab indents unless Escape is pressed first.
      if (passed.at(-1) === 'editor') await this.press('Escape');
      await this.press('Tab');
      const at = await focused(this.#page);
      if (!at.isSeen) this.unseen.push(`${new URL(this.#page.url()).pathname}: ${at.name}`);
      if (typeof name === 'string' ? at.name === name : name.test(at.name)) return;
      passed.push(at.name);
    }
    throw new Error(`no tab stop has the name ${name}, only ${passed.join(', ')}`);
  }

  async choose(name: string | RegExp): Promise<void> {
    await this.to(name);
    await this.press('Enter');
  }

  /** Opens the menu of a button, and chooses the item by the first letters of its text. */
  async chooseIn(button: string, item: string): Promise<void> {
    await this.to(button);
    await this.chooseHere(item);
  }

  /** Opens the menu of the focused button, and chooses an item. */
  async chooseHere(item: string): Promise<void> {
    await this.press('Enter');
    await this.#page.getByRole('menuitem', { name: item, exact: true }).waitFor();
    await this.type(item.slice(0, item.indexOf(' ') + 2).toLowerCase());
    await this.isAt(item);
    await this.press('Enter');
  }

  /** Waits until the element with this name has the focus, and requires that this is visible. */
  async isAt(name: string | RegExp): Promise<void> {
    const at = () => focused(this.#page);
    if (typeof name === 'string') await expect.poll(at).toEqual({ name, isSeen: true });
    else await expect.poll(at).toEqual({ name: expect.stringMatching(name), isSeen: true });
  }

  async write(name: string | RegExp, text: string): Promise<void> {
    await this.to(name);
    await this.type(text);
  }

  /** Replaces the text of the editor, then presses Escape so that Tab leaves the editor. */
  async edit(text: string): Promise<void> {
    await this.to('editor');
    await this.press('ControlOrMeta+a');
    await this.#page.keyboard.insertText(text);
    await this.press('Escape');
  }
}
