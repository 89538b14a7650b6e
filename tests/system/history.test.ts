/** The editor, files and versions of a document, and the history of a database. */
import type { Browser, Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { budget } from '../../packages/engine/tests/budget.fixture.ts';
import { holdCalls } from './held-calls.fixture.ts';
import {
  faultsOf,
  importDocuments,
  LOOKS,
  makeDatabase,
  slowWay,
  typeText,
  wear,
  withConsole,
} from './local.fixture.ts';
import { chooseIn, type Visitor } from './product.fixture.ts';

/** Whether the run has time to open each address on each page, and to write dozens of commits. */
const NIGHTLY = budget({ commit: 0, night: 1, release: 1 }) === 1;

let url: string;
let ada: Visitor;
let page: Page;
let browser: Browser;

withConsole(async (opened) => {
  ({ url, ada, browser } = opened);
  page = ada.page;
  await makeDatabase(page, url, 'library', [
    { _id: 'note', title: 'first', pages: 3, place: { city: 'Lisbon', zip: 1 } },
    { _id: 'other', x: 1 },
  ]);
});

const openNote = async (on = page) => {
  await on.goto(`${url}/fp/databases/library/docs/note`);
  await on.getByRole('textbox', { name: /document/i }).waitFor({ state: 'visible' });
};
const save = async (on: Page, text: string) => {
  await typeText(on, /document/i, text);
  await on.getByRole('button', { name: 'Save', exact: true }).click();
  await on.getByText('Saved in this browser.').waitFor({ state: 'visible' });
};
const textShown = async () =>
  JSON.parse(
    (await page.getByRole('textbox', { name: /document/i }).innerText()).replaceAll('\u00a0', ' '),
  ) as object;

describe('a document', () => {
  test('saves and formats valid JSON, and keeps the id', async () => {
    await openNote();
    const button = page.getByRole('button', { name: 'Save', exact: true });
    expect(await button.isDisabled()).toBe(true);
    await typeText(page, /document/i, '{"title": ');
    await page.getByText(/This isn’t valid JSON yet/).waitFor({ state: 'visible' });
    await expect.poll(() => button.isDisabled()).toBe(true);
    await typeText(page, /document/i, '{"_id":"another","title":"x"}');
    await page.getByText('The _id of a document can’t be changed').waitFor({ state: 'visible' });
    await expect.poll(() => button.isDisabled()).toBe(true);
    await save(page, '{"title":"second","pages":3,"place":{"city":"Porto","zip":1}}');
    await expect.poll(() => page.locator('.cm-line').allInnerTexts()).toContain('  "title": "second",');
    await expect.poll(() => button.isDisabled()).toBe(true);
  });

  test('undoes in one step all text that was typed without a pause', async () => {
    await openNote();
    const before = await textShown();
    // Stops the clock, because typing may take long.
    await page.clock.install();
    await page.clock.pauseAt(Date.now() + 3_600_000);
    await page.getByRole('textbox', { name: /document/i }).click();
    await page.keyboard.press('ControlOrMeta+End');
    await page.keyboard.type(' more text');
    await page.keyboard.press('ControlOrMeta+z');
    expect(await textShown()).toEqual(before);
    await page.clock.resume();
  });

  test('adds, shows and removes files, and keeps files when the text is saved', async () => {
    await openNote();
    await page.getByLabel('Files to add').setInputFiles([
      { name: 'a.txt', mimeType: 'text/plain', buffer: Buffer.from('hello file') },
      {
        name: 'p.svg',
        mimeType: 'image/svg+xml',
        buffer: Buffer.from(
          '<svg xmlns="http://www.w3.org/2000/svg"><script>document.title="run"</script></svg>',
        ),
      },
    ]);
    await page.getByText('hello file').waitFor({ state: 'visible' });
    await page.getByRole('img', { name: 'p.svg' }).waitFor({ state: 'visible' });
    await save(page, '{"title":"third","pages":3,"place":{"city":"Porto","zip":1}}');
    await openNote();
    await page.getByText('hello file').waitFor({ state: 'visible' });
    await page.getByRole('button', { name: 'Remove p.svg' }).click();
    // A message stays open while the pointer is over it.
    await page.getByRole('button', { name: 'Undo' }).hover();
    await page.getByRole('img', { name: 'p.svg' }).waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('img', { name: 'p.svg' }).waitFor({ state: 'visible' });
    expect(await page.title()).not.toBe('run');
  });

  test("keeps a file that couldn't be removed, and reports the failure but no success", async () => {
    const other = await ada.context.newPage();
    const calls = await holdCalls(other);
    await openNote(other);
    await calls.hold('transact');
    await other.getByRole('button', { name: 'Remove p.svg' }).click();
    await calls.waits();
    await calls.refuse();
    await other.getByText(/^Couldn’t remove the file: /).waitFor({ state: 'visible' });
    const button = other.getByRole('button', { name: 'Remove p.svg' });
    await expect.poll(() => button.isEnabled()).toBe(true);
    expect(await other.getByText('Removed p.svg.').count()).toBe(0);
    await other.close();
  });

  test('previews the changes that Save would make', async () => {
    await openNote();
    const button = page.getByRole('button', { name: 'Review changes' });
    expect(await button.count()).toBe(0);
    await typeText(page, /document/i, '{"title":"reviewed","pages":3,"place":{"city":"Porto","zip":1}}');
    await button.click();
    await page.getByRole('columnheader', { name: 'After saving' }).waitFor({ state: 'visible' });
    await expect.poll(async () => (await page.locator('del').allInnerTexts()).join()).toContain('third');
    await expect.poll(async () => (await page.locator('ins').allInnerTexts()).join()).toContain('reviewed');
    // The typed text doesn't contain the _id, which must stay in the document.
    expect((await page.locator('del').allInnerTexts()).join()).not.toContain('_id');
    expect(await faultsOf(page)).toEqual([]);
    page.once('dialog', (dialog) => void dialog.accept());
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.waitForURL(/\/library$/);
  });

  test('merges both versions field by field when the document changed elsewhere', async () => {
    await openNote();
    await typeText(page, /document/i, '{"title":"mine","pages":3,"place":{"city":"Porto","zip":2}}');
    const other = await ada.context.newPage();
    await openNote(other);
    await save(other, '{"title":"theirs","pages":9,"place":{"city":"Porto","zip":1}}');
    await other.close();
    await page.getByRole('button', { name: 'Merge...' }).click();
    const use = page.getByRole('button', { name: 'Use the merged document' });
    expect(await use.isDisabled()).toBe(true);
    await page
      .getByRole('group', { name: /title changed in both versions/ })
      .getByLabel('My version')
      .check();
    await use.click();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Saved in this browser.').waitFor({ state: 'visible' });
    await expect.poll(textShown).toEqual({ title: 'mine', pages: 9, place: { city: 'Porto', zip: 2 } });
  });

  test('asks before leaving with unsaved changes', async () => {
    await openNote();
    await typeText(page, /document/i, '{"title":"lost?"}');
    const asked: string[] = [];
    page.once('dialog', (dialog) => {
      asked.push(dialog.message());
      void dialog.dismiss();
    });
    await page.getByRole('button', { name: 'Cancel' }).click();
    await expect.poll(() => asked).toEqual([expect.stringMatching(/unsaved changes/)]);
    expect(new URL(page.url()).pathname).toBe('/fp/databases/library/docs/note');
    page.once('dialog', (dialog) => void dialog.accept());
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.waitForURL(/\/library$/);
  });

  test('restores unsaved text after a reload', async () => {
    await openNote();
    await typeText(page, /document/i, '{"title":"typed before the reload"}');
    page.once('dialog', (dialog) => void dialog.accept());
    await page.reload();
    await page.getByText('Your unsaved text was restored.').waitFor({ state: 'visible' });
    await expect.poll(textShown).toEqual({ title: 'typed before the reload' });
    // The message about the restored text is shown before the reason why the text can't be saved.
    await typeText(page, /document/i, '{"title":');
    await page
      .getByText(/^Your unsaved text was restored\. .*This isn’t valid JSON yet/)
      .waitFor({ state: 'visible' });
    page.once('dialog', (dialog) => void dialog.accept());
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.waitForURL(/\/library$/);
    await page.getByRole('textbox', { name: /document/i }).waitFor({ state: 'detached' });
    await openNote();
    await expect.poll(textShown).not.toEqual({ title: 'typed before the reload' });
  });

  test('shows the changes of each version, and restores any version', async () => {
    await openNote();
    await page.getByRole('button', { name: 'Show versions' }).click();
    await page.getByRole('button', { name: /Created/ }).click();
    await page.getByText('"title": "first"').waitFor({ state: 'visible' });
    await page.getByRole('button', { name: 'Restore' }).last().click();
    await expect.poll(textShown).toMatchObject({ title: 'first', place: { city: 'Lisbon' } });
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(textShown).toMatchObject({ title: 'mine' });
  });
});

describe('the history of a database', () => {
  test('shows the changes of each commit, and opens the database at that commit', async () => {
    await page.goto(`${url}/fp/databases/library/history`);
    await page.getByRole('button', { name: /first, other/ }).click();
    await page.getByRole('link', { name: /^Browse this version/ }).click();
    await page.getByText('2 documents in this version').waitFor({ state: 'visible' });
    await page.getByText('Lisbon').waitFor({ state: 'visible' });
    await page.getByRole('link', { name: 'Changes since', exact: true }).click();
    await page.getByText('1 document has changed since this version').waitFor({ state: 'visible' });
    const changed = page.getByRole('list', { name: 'Changed documents' }).getByRole('listitem');
    await changed.getByRole('heading', { name: 'note changed' }).waitFor({ state: 'visible' });
    await expect.poll(async () => (await changed.locator('del').allInnerTexts()).join()).toContain('Lisbon');
    await expect.poll(async () => (await changed.locator('ins').allInnerTexts()).join()).toContain('Porto');
    const compared = page.url();
    await page.getByRole('link', { name: 'Documents in this version' }).click();
    await page.getByRole('link', { name: 'note', exact: true }).click();
    await page.getByRole('button', { name: 'Restore this version' }).waitFor({ state: 'visible' });
    await page.getByRole('link', { name: 'Back to now' }).click();
    await page.getByRole('textbox', { name: /document/i }).waitFor({ state: 'visible' });
    await page.goto(compared);
    await page.getByText('1 document has changed since this version').waitFor({ state: 'visible' });
    expect(await faultsOf(page)).toEqual([]);
    await ada.shot('changes-since');
  });

  test('runs a query at the version in the address', async () => {
    await page.goto(`${url}/fp/databases/library/history`);
    await page.getByRole('button', { name: /first, other/ }).click();
    await page.getByRole('link', { name: /^Browse this version/ }).click();
    await page.getByRole('link', { name: 'Query this version' }).click();
    await page.getByText(/^Queries run on this version:/).waitFor({ state: 'visible' });
    await typeText(page, 'Map function', '(doc) => doc.title');
    const run = () => page.getByRole('button', { name: 'Query', exact: true }).click();
    const keys = page.getByRole('grid', { name: 'Results' }).locator('[role=gridcell][aria-colindex="1"]');
    await run();
    await page.getByText(/^1 row in/).waitFor({ state: 'visible' });
    await expect.poll(() => keys.allInnerTexts()).toEqual(['first']);
    expect(await faultsOf(page)).toEqual([]);
    const then = page.url();
    await page.getByRole('link', { name: 'note', exact: true }).click();
    await page.getByRole('button', { name: 'Restore this version' }).waitFor({ state: 'visible' });
    await page.goto(then);
    await page.getByRole('link', { name: 'Back to now' }).click();
    await page.waitForURL(/\/library\/query$/);
    await page.getByText(/^Queries run on this version:/).waitFor({ state: 'hidden' });
    await run();
    await expect.poll(() => keys.allInnerTexts()).toEqual(['mine']);
  });

  test('moves through versions with a slider on each page, and updates the address', async () => {
    await page.goto(`${url}/fp/databases/library/history`);
    await page.getByRole('link', { name: 'Browse past versions' }).click();
    const slider = page.getByRole('slider', { name: 'Point in time' });
    const said = (text: RegExp) => expect.poll(() => slider.getAttribute('aria-valuetext')).toMatch(text);
    const older = page.getByRole('button', { name: 'Older', exact: true });
    const newer = page.getByRole('button', { name: 'Newer', exact: true });
    await said(/^Latest commit: Wrote note$/);
    await page.getByText('mine', { exact: true }).waitFor({ state: 'visible' });
    await expect.poll(() => newer.isDisabled()).toBe(true);
    const newest = page.url();
    await slider.press('Home');
    await page.getByText('This version has no documents.').waitFor({ state: 'visible' });
    await said(/commits before the latest: Database created$/);
    await expect.poll(() => older.isDisabled()).toBe(true);
    await slider.press('ArrowRight');
    await page.getByText('2 documents in this version').waitFor({ state: 'visible' });
    await page.getByText('Lisbon').waitFor({ state: 'visible' });
    await said(/commits before the latest: Wrote note, other$/);
    const first = page.url();

    await page.getByRole('link', { name: 'Changes since', exact: true }).click();
    const changed = page.getByRole('list', { name: 'Changed documents' });
    await expect.poll(async () => (await changed.locator('del').allInnerTexts()).join()).toContain('first');
    await newer.click();
    await expect.poll(async () => (await changed.locator('del').allInnerTexts()).join()).toContain('second');
    await page.goBack();
    await page.waitForURL(first);
    await said(/: Wrote note, other$/);

    await page.getByRole('link', { name: 'note', exact: true }).click();
    await page.getByText('"title": "first"').waitFor({ state: 'visible' });
    await newer.click();
    await page.getByText('"title": "second"').waitFor({ state: 'visible' });
    await page.getByRole('link', { name: 'All documents in this version' }).click();
    // The previous page also shows this text, so the test searches in the grid.
    await page.getByRole('grid').getByText('Porto').waitFor({ state: 'visible' });
    await page.getByRole('link', { name: 'Query this version' }).click();
    // The previous page also has a slider, which would receive the key, so the test waits for the
    // new page.
    await page.getByText(/^Queries run on this version:/).waitFor({ state: 'visible' });
    // Until the commits are loaded, the slider is disabled and receives no keys.
    await expect.poll(() => slider.isEnabled()).toBe(true);
    await slider.press('End');
    await said(/^Latest commit/);
    await page.waitForURL(`${url}/fp/databases/library/query${new URL(newest).search}`);

    await page.goto(first);
    await said(/: Wrote note, other$/);
    await page.getByText('Lisbon').waitFor({ state: 'visible' });
    expect(await faultsOf(page)).toEqual([]);
  });

  test('follows a link that is clicked right after the slider moved, even if the linked page loads slowly', async () => {
    const { page: slow, stopTime, arrive } = await slowWay(browser, /\/databases\._name\.docs\._id-/);
    await makeDatabase(slow, url, 'pocket', [{ _id: 'note', title: 'first' }]);
    await slow.goto(`${url}/fp/databases/pocket/history`);
    await slow.getByRole('link', { name: 'Browse past versions' }).click();
    const link = slow.getByRole('link', { name: 'note', exact: true });
    await link.waitFor({ state: 'visible' });
    const slider = slow.getByRole('slider', { name: 'Point in time' });
    await expect.poll(() => slider.isEnabled()).toBe(true);
    await stopTime();
    await slider.press('Home');
    await expect.poll(() => slider.getAttribute('aria-valuetext')).toMatch(/Database created$/);
    await link.evaluate((one: HTMLElement) => one.click());
    await arrive();
    await slow.waitForURL(/\/docs\/note\?at=/);
    await slow.getByRole('button', { name: 'Restore this version' }).waitFor({ state: 'visible' });
    await slow.context().close();
  });

  test('compares with another database that the address specifies', async () => {
    await makeDatabase(page, url, 'copy', [
      { _id: 'other', x: 1 },
      { _id: 'note', title: 'of the copy' },
      { _id: 'third' },
    ]);
    await page.goto(`${url}/fp/databases/library/history`);
    await page.getByRole('tab', { name: 'Compare' }).click();
    await page.getByRole('combobox', { name: 'The other database' }).selectOption('copy');
    await page.waitForURL(/view=compare&with=copy$/);
    await page.getByRole('button', { name: 'Compare', exact: true }).click();
    await page.getByText('2 documents differ, 1 document is the same.').waitFor({ state: 'visible' });
    const changed = page.getByRole('list', { name: 'Changed documents' });
    await expect
      .poll(() => changed.getByRole('heading').allInnerTexts())
      .toEqual(['note differs', 'third only in copy']);
    await expect.poll(async () => (await changed.locator('del').allInnerTexts()).join()).toContain('mine');
    await expect
      .poll(async () => (await changed.locator('ins').allInnerTexts()).join())
      .toContain('of the copy');
  });

  test('restores all documents at once after a preview, and undoes the restore', async () => {
    await page.goto(`${url}/fp/databases/library/history`);
    await page.getByRole('button', { name: /first, other/ }).click();
    await page.getByRole('link', { name: /^Browse this version/ }).click();
    const restoreAll = page.getByRole('button', { name: 'Restore...' });
    await restoreAll.click();
    await page.getByText('1 document will get the content of this version.').waitFor({ state: 'visible' });
    expect(await faultsOf(page)).toEqual([]);
    await page.getByRole('button', { name: 'Restore', exact: true }).click();
    await page.getByText('Restored 1 document.').waitFor({ state: 'visible' });
    // The pointer must stay on the message to keep it open, so the test presses Restore with the
    // keyboard.
    await page.getByRole('button', { name: 'Undo' }).hover();
    await restoreAll.press('Enter');
    await page.getByText('Nothing has changed since this version.').waitFor({ state: 'visible' });
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('link', { name: 'Back to now' }).click();
    await page.getByText('mine', { exact: true }).waitFor({ state: 'visible' });
  });

  test('explains an invalid or unknown version in the address, with the next step', async () => {
    const all = `${url}/fp/databases/library`;
    const never = 'bafyreigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi';
    const pages = ['', '/docs/note', '/query'];
    const addresses = [
      ['cut-link', 'This link doesn’t lead to a version'],
      ['%3Cb%3Ex,,y', 'This link doesn’t lead to a version'],
      [never, 'You don’t have this version yet'],
      [`${never},${never}`, 'You don’t have this version yet'],
    ] as const;
    for (const [n, [at, said]] of addresses.entries())
      for (const path of NIGHTLY ? pages : [pages[(n + 2) % pages.length]]) {
        await page.goto(`${all}${path}?at=${at}`);
        await page.getByRole('heading', { name: said }).waitFor({ state: 'visible' });
      }
    expect(await faultsOf(page)).toEqual([]);
    await ada.shot('not-yet');
    await page.getByRole('link', { name: 'Back to now' }).click();
    await page.waitForURL(/\/library\/query$/);
  });

  test('marks the oldest commit and the oldest version that compaction kept', async () => {
    const long = (n: number) => String(n).repeat(150_000);
    await makeDatabase(page, url, 'worn', [{ _id: 'note', title: 'kept' }]);
    for (const n of [1, 2, 3, 4, 5]) await importDocuments(page, [{ _id: `big-${n}`, text: long(n) }]);
    page.on('dialog', (dialog) => void dialog.accept());
    for (const n of [1, 2, 3, 4, 5]) {
      await page.getByRole('button', { name: `Delete big-${n}` }).click();
      await page.getByRole('link', { name: `big-${n}`, exact: true }).waitFor({ state: 'hidden' });
    }
    page.removeAllListeners('dialog');
    await chooseIn(page, 'Database actions', 'Storage');
    await page.getByRole('button', { name: 'Compact', exact: true }).click();
    await page.getByText('Storage compacted.').waitFor({ state: 'visible' });

    await page.goto(`${url}/fp/databases/worn/history`);
    await page.getByText(/Compaction removed older versions on this device/).waitFor();
    const commits = page.getByRole('region', { name: 'Changes' }).getByRole('listitem');
    const oldest = commits.last();
    await expect.poll(() => oldest.innerText()).toMatch(/Snapshot of [\d,]+ documents[\s\S]*Oldest kept/);
    expect(await page.getByText('Database created').count()).toBe(0);
    await oldest.getByRole('button').click();
    const change = page.getByRole('complementary', { name: 'Change' });
    await change.getByText(/This is a snapshot of all older commits\./).waitFor({ state: 'visible' });
    expect(await faultsOf(page)).toEqual([]);
    await ada.shot('compacted-commits');
    await change.getByRole('link', { name: /^Browse this version/ }).click();
    await page.getByText(/documents in this version$/).waitFor({ state: 'visible' });
    await expect.poll(() => page.getByRole('button', { name: 'Older' }).isDisabled()).toBe(true);

    await page.goto(`${url}/fp/databases/worn/docs/note`);
    await page.getByRole('button', { name: 'Show versions' }).click();
    await page.getByRole('button', { name: /Snapshot created when older versions were removed/ }).click();
    await page.getByText('Before: not kept on this device').waitFor({ state: 'visible' });
    await page.getByText(/Compaction removed older versions on this device/).waitFor();
    await ada.shot('compacted-versions');
  });

  test('verifies all stored data and lists conflicts', async () => {
    await page.goto(`${url}/fp/databases/library/history?view=check`);
    await page.getByRole('button', { name: 'Verify' }).click();
    await page.getByText('Intact').waitFor({ state: 'visible' });
    await page.getByText('No conflicts found.').waitFor({ state: 'visible' });
  });

  test.each(LOOKS)('fits at $width px in the $theme theme', async (worn) => {
    await wear(page, worn);
    const faults: string[] = [];
    const look = async (name: string) => {
      await ada.shot(`${name}-${worn.width}-${worn.theme}`);
      faults.push(...(await faultsOf(page)).map((fault) => `${name}: ${fault}`));
    };
    await openNote();
    await page.getByRole('button', { name: 'Show versions' }).click();
    await page.getByRole('button', { name: /Created/ }).click();
    await look('versions');
    const history = `${url}/fp/databases/library/history`;
    await page.goto(`${history}`);
    await page
      .getByRole('region', { name: 'Changes' })
      .getByRole('button', { name: /Wrote/ })
      .first()
      .click();
    await page.getByRole('list', { name: 'Changed documents' }).waitFor({ state: 'visible' });
    // The commit may be far down. Half of a button below the title line would count as too small.
    await page.evaluate(() => scrollTo(0, 0));
    await look('commits');
    await page.getByRole('link', { name: /^Browse this version/ }).click();
    await page.getByText(/documents in this version$/).waitFor({ state: 'visible' });
    await look('then');
    await page.getByRole('link', { name: 'note', exact: true }).click();
    await page.getByRole('button', { name: 'Restore this version' }).waitFor({ state: 'visible' });
    await look('document-then');
    await page.goto(`${history}?view=check`);
    await page.getByRole('button', { name: 'Verify' }).click();
    await page.getByText('Intact').waitFor({ state: 'visible' });
    await look('check');
    await page.goto(`${history}?view=compare&with=copy`);
    await page.getByRole('button', { name: 'Compare', exact: true }).click();
    await page.getByText(/documents differ, 1 document is the same\.$/).waitFor({ state: 'visible' });
    await look('compare');
    expect(faults).toEqual([]);
  });

  test('reports no hidden problems', () => {
    expect(ada.problems).toEqual([]);
  });

  test('lists the documents that a commit wrote and deleted', async () => {
    await makeDatabase(page, url, 'pantry', [
      { _id: 'milk' },
      { _id: 'rice' },
      { _id: 'salt' },
      { _id: 'tea' },
    ]);
    page.once('dialog', (dialog) => void dialog.accept());
    await page.getByRole('button', { name: 'Delete rice' }).click();
    await page.getByText('Deleted document rice.').waitFor({ state: 'visible' });
    page.once('dialog', (dialog) => void dialog.accept());
    await page.getByLabel('Select milk').check();
    await page.getByLabel('Select salt').check();
    await page.getByRole('region', { name: 'Selection' }).getByRole('button', { name: 'Delete' }).click();
    await page.getByText('Deleted 2 documents.').waitFor({ state: 'visible' });
    await page.goto(`${url}/fp/databases/pantry/history`);
    const commits = page.getByRole('region', { name: 'Changes' }).getByRole('listitem').getByRole('button');
    await expect
      .poll(async () => (await commits.allInnerTexts()).map((text) => text.split('\n').at(-1)))
      .toEqual([
        'Deleted milk, salt',
        'Deleted rice',
        'Wrote milk, rice, salt and 1 more',
        'Database created',
      ]);
    await ada.shot('commits-deleted');
  });

  test.skipIf(!NIGHTLY)('renders only commits in view', async () => {
    await makeDatabase(page, url, 'diary', [{ _id: 'note', n: 0 }]);
    await page.goto(`${url}/fp/databases/diary/docs/note`);
    for (let n = 1; n <= 25; n += 1) await save(page, `{"n": ${n}}`);
    await page.setViewportSize({ width: 1280, height: 480 });
    await page.goto(`${url}/fp/databases/diary/history`);
    const commits = page.getByRole('region', { name: 'Changes' });
    await page.getByText(/^2\d changes since/).waitFor({ state: 'visible' });
    await expect.poll(() => commits.getByRole('listitem').count()).toBeLessThan(20);
    const first = commits.getByText('Database created');
    expect(await first.count()).toBe(0);
    await commits.getByRole('list').evaluate((list) => list.parentElement?.scrollTo({ top: 1e6 }));
    await first.waitFor({ state: 'visible' });
    await page.setViewportSize({ width: 1280, height: 800 });
  });
});
