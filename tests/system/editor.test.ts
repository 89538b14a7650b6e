/** Tests the document editor key by key: formatting, error marks, undo, and the clipboard. */
import type { Dialog, Page } from 'playwright-core';
import { beforeEach, describe, expect, test } from 'vitest';
import { makeDatabase, typeText, withConsole } from './local.fixture.ts';
import { allowClipboard, chooseIn, type Visitor } from './product.fixture.ts';

let url: string;
let ada: Visitor;
let page: Page;

withConsole(async (opened) => {
  ({ url, ada } = opened);
  page = ada.page;
  await allowClipboard(ada.context, url);
  // Accepts the dialogs about unsaved text, which tests leave in the editor.
  page.on('dialog', (dialog) => void dialog.accept());
  await makeDatabase(page, url, 'library', [
    { _id: 'first', title: 'One', tags: ['a'] },
    { _id: 'second', title: 'Two' },
  ]);
});

beforeEach(async () => {
  await page.goto(`${url}/fp/databases/library/docs/new`);
  await page.getByRole('textbox', { name: /document/i }).click();
});

const lines = () => page.locator('.cm-line').allInnerTexts();
const clipboard = () => page.evaluate(() => navigator.clipboard.readText());
const button = (name: string) => page.getByRole('button', { name, exact: true });

/** Dispatches the paste events that a browser dispatches. */
const paste = (text: string, times = 1) =>
  page.locator('.cm-content').evaluate(
    (content, { text: pasted, times: count }) => {
      for (let n = 0; n < count; n += 1) {
        const clipboardData = new DataTransfer();
        clipboardData.setData('text/plain', pasted);
        const event = new ClipboardEvent('paste', { bubbles: true, cancelable: true });
        // Firefox's constructor would leave out the text.
        Object.defineProperty(event, 'clipboardData', { value: clipboardData });
        content.dispatchEvent(event);
      }
    },
    { text, times },
  );

describe('the editor of a document', () => {
  test('formats pasted text that is valid JSON, and keeps other text as it is', async () => {
    await page.keyboard.press('ControlOrMeta+a');
    await paste('{"title":"x","place":{"city":"Porto"}}');
    await expect
      .poll(lines)
      .toEqual(['{', '  "title": "x",', '  "place": {', '    "city": "Porto"', '  }', '}']);
    await expect.poll(() => button('Save').isEnabled()).toBe(true);
    await page.keyboard.press('ControlOrMeta+a');
    await paste('{"title":  }');
    await page.getByText(/This isn’t valid JSON yet/).waitFor({ state: 'visible' });
    await expect.poll(lines).toEqual(['{"title":  }']);
    await expect.poll(() => button('Save').isDisabled()).toBe(true);
  });

  test('marks syntax errors and duplicate names at their positions', async () => {
    await typeText(page, /document/i, '{"title": nothing}');
    // CodeMirror marks either a position between two characters or a range.
    const errors = page.locator('.cm-lintPoint-error, .cm-lintRange-error');
    await errors.first().waitFor({ state: 'attached' });
    await typeText(page, /document/i, '{"title": 1, "title": 2}');
    await page.locator('.cm-lintRange-warning').first().waitFor({ state: 'visible' });
    await expect.poll(() => errors.count()).toBe(0);
  });

  test('undoes in one step all text that was typed with pauses under three seconds', async () => {
    await typeText(page, /document/i, '[');
    await page.keyboard.press('ControlOrMeta+End');
    // Stops the clock, so that the time for pressing keys doesn't count.
    await page.clock.install();
    await page.clock.pauseAt(Date.now() + 3_600_000);
    const typed = async (text: string, afterMs: number) => {
      await page.clock.fastForward(afterMs);
      await page.keyboard.type(text);
    };
    await typed('a', 4000);
    await typed('b', 2900);
    await typed('c', 2900);
    await typed('d', 3100);
    const undone = async () => {
      await page.keyboard.press('ControlOrMeta+z');
      return lines();
    };
    expect([await lines(), await undone(), await undone()]).toEqual([['[abcd'], ['[abc'], ['[']]);
    await page.clock.resume();
  });

  test('parses a long text once, in the pause after typing, instead of after each key', async () => {
    await page.evaluate(() => {
      const { parse } = JSON;
      const counted = { longReads: 0 };
      Object.assign(window, { counted });
      JSON.parse = (text, reviver) => {
        if (text.length > 100_000) counted.longReads += 1;
        return parse(text, reviver);
      };
    });
    const longReads = () =>
      page.evaluate(() => (window as unknown as { counted: { longReads: number } }).counted.longReads);
    // Stops the clock until the test advances it.
    await page.clock.install();
    await page.clock.pauseAt(Date.now() + 3_600_000);
    const items = Array.from({ length: 9000 }, (_, n) => ({ n, name: `item number ${n}` }));
    await page.keyboard.press('ControlOrMeta+a');
    await paste(JSON.stringify({ note: '', items }, undefined, 2));
    await page.clock.runFor(1000);
    expect(await longReads()).toBe(1);
    await page.keyboard.press('ControlOrMeta+Home');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('End');
    for (let n = 0; n < 2; n += 1) await page.keyboard.press('ArrowLeft');
    await page.keyboard.type('twenty keys in a row');
    expect((await lines())[1]).toBe('  "note": "twenty keys in a row",');
    expect(await longReads()).toBe(1);
    await page.clock.runFor(1000);
    expect(await longReads()).toBe(2);
    await page.clock.resume();
  });

  test('indents by two spaces, and undoes up to a hundred steps', async () => {
    expect(await page.locator('.cm-content').evaluate((content) => getComputedStyle(content).tabSize)).toBe(
      '2',
    );
    await typeText(page, /document/i, '[');
    await page.keyboard.press('Home');
    await page.keyboard.press('Tab');
    await expect.poll(lines).toEqual(['  [']);
    await typeText(page, /document/i, '-');
    await page.keyboard.press('End');
    await paste('x', 130);
    await expect.poll(async () => (await lines()).join('')).toBe(`-${'x'.repeat(130)}`);
    for (let n = 0; n < 110; n += 1) await page.keyboard.press('ControlOrMeta+z');
    const undone = 130 - ((await lines()).join('').match(/x/g)?.length ?? 0);
    expect(undone).toBeGreaterThanOrEqual(80);
    expect(undone).toBeLessThanOrEqual(100);
  });
});

/** Opens a new document of a new database, with the cursor in its empty title. */
async function beginTitle(database: string, text: string): Promise<void> {
  await makeDatabase(page, url, database, []);
  await page.goto(`${url}/fp/databases/${database}/docs/new`);
  await page.getByRole('textbox', { name: /document/i }).click();
  await page.keyboard.press('ControlOrMeta+a');
  await paste(text);
  await expect.poll(lines).toContain('  "title": ""');
  await page.keyboard.press('ControlOrMeta+End');
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('End');
  await page.keyboard.press('ArrowLeft');
}

test('keeps the cursor when a new document is saved with a shortcut', async () => {
  await beginTitle('begun', '{"_id": "chosen", "title": ""}');
  await page.keyboard.type('One');
  await page.keyboard.press('ControlOrMeta+s');
  await page.waitForURL(/\/docs\/chosen$/);
  await page.getByText('Saved in this browser.', { exact: true }).waitFor();
  await expect.poll(lines).toEqual(['{', '  "title": "One"', '}']);

  await page.keyboard.type(' more');
  await expect.poll(lines).toEqual(['{', '  "title": "One more"', '}']);
  await page.keyboard.press('ControlOrMeta+s');
  await expect.poll(() => button('Save').isDisabled()).toBe(true);
  await page.getByText('Saved in this browser.', { exact: true }).waitFor();
  await page.reload();
  await expect.poll(lines).toContain('  "title": "One more"');

  await page.getByRole('link', { name: 'begun', exact: true }).first().click();
  await page.getByRole('link', { name: 'New Document' }).click();
  await page.waitForURL(/\/docs\/new$/);
  await expect.poll(lines).toEqual(['{}']);
});

test('keeps text that is typed while a new document is saved, and opens no dialog', async () => {
  await beginTitle('hasty', '{"title": ""}');
  const asked: string[] = [];
  const note = (dialog: Dialog) => void asked.push(`${dialog.type()}: ${dialog.message()}`);
  page.on('dialog', note);
  await page.keyboard.type('One');
  // Dispatches both events in one task, so that the save can't finish between the events.
  await page.locator('.cm-content').evaluate((content) => {
    const save = { key: 's', code: 'KeyS', ctrlKey: true, bubbles: true, cancelable: true };
    content.dispatchEvent(new KeyboardEvent('keydown', save));
    document.execCommand('insertText', false, ' more');
  });
  await page.waitForURL((now) => /\/docs\/(?!new$)/.test(now.pathname));
  await page.getByText('Unsaved changes.').waitFor();
  await expect.poll(lines).toEqual(['{', '  "title": "One more"', '}']);
  await page.keyboard.press('ControlOrMeta+s');
  await page.getByText('Saved in this browser.', { exact: true }).waitFor();
  await page.reload();
  await expect.poll(lines).toContain('  "title": "One more"');
  expect(asked).toEqual([]);
  page.off('dialog', note);
});

test('shows and logs a failed save', async () => {
  // While text replaces several lines, Chromium keeps their look in a style attribute. The policy
  // of the page blocks the attribute, which the console would list.
  const editor = page.getByRole('textbox', { name: /document/i });
  await editor.press('ControlOrMeta+a');
  await editor.press('Delete');
  await typeText(page, /document/i, '{"_id": "first", "title": "in its place"}');
  await button('Save').click();
  const why = 'Couldn’t save the document: a document with the _id "first" already exists.';
  await page.getByRole('alert').filter({ hasText: why }).waitFor({ state: 'visible' });
  expect(ada.problems.splice(0)).toEqual([expect.stringContaining(why)]);
  await page.goto(`${url}/fp/databases/library/docs/first`);
  await expect.poll(lines).toContain('  "title": "One"');
});

describe('the clipboard', () => {
  test('receives a document, its id, selected rows or the rows of a query', async () => {
    await page.goto(`${url}/fp/databases/library/docs/first`);
    await button('Copy JSON').click();
    await expect
      .poll(async () => JSON.parse(await clipboard()) as unknown)
      .toEqual({ title: 'One', tags: ['a'] });
    await button('Copy id').click();
    await expect.poll(clipboard).toBe('first');
    await page.goto(`${url}/fp/databases/library`);
    await page.getByLabel('Select all rows').check();
    await chooseIn(page, 'Copy', 'Copy as JSON');
    await page.getByText('Copied 2 documents as JSON.').waitFor({ state: 'visible' });
    expect(JSON.parse(await clipboard())).toEqual([
      { _id: 'first', title: 'One', tags: ['a'] },
      { _id: 'second', title: 'Two' },
    ]);
    await page.goto(`${url}/fp/databases/library/query`);
    await typeText(page, 'Map function', '(doc, emit) => emit(doc.title, doc.tags)');
    await button('Query').click();
    await page.getByText(/^2 rows in/).waitFor({ state: 'visible' });
    await button('Copy as JSON').click();
    await page.getByText('Copied 2 rows as JSON.').waitFor({ state: 'visible' });
    expect(JSON.parse(await clipboard())).toEqual([
      { key: 'One', value: ['a'], id: 'first' },
      { key: 'Two', value: null, id: 'second' },
    ]);
  });
});

test('formats the text only when the mouse button is released, so that Save stays under the pointer', async () => {
  const fields = Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`field ${n}`, n]));
  const text = JSON.stringify(fields);
  await typeText(page, /document/i, text);
  await expect.poll(async () => (await lines()).length).toBe(22);
  // After an undo, the restored text is formatted only when the editor loses the focus.
  await page.keyboard.press('ControlOrMeta+z');
  await expect.poll(lines).toEqual([text]);
  await expect.poll(() => button('Save').isEnabled()).toBe(true);
  await button('Save').hover();
  await page.mouse.down();
  await page.mouse.up();
  await page.getByText('Saved in this browser.').waitFor({ state: 'visible' });
  await expect.poll(async () => (await lines()).length).toBe(22);
});

test('reports no hidden problems', () => {
  expect(ada.problems).toEqual([]);
});
