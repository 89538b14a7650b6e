/**
 * Merges a document that another tab changed: by keyboard, by touch on a phone, and field by field
 * in the form. Checks the accessibility of these pages, and of the details of a change in the
 * history.
 */
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { budget } from '../../packages/engine/tests/budget.fixture.ts';
import { focused, Keys, keepFocusInPage } from './keyboard.fixture.ts';
import {
  faultsOf,
  LOOKS,
  makeDatabase,
  type OpenConsole,
  typeText,
  wear,
  withConsole,
} from './local.fixture.ts';
import { inFirefox } from './product.fixture.ts';

const atNight = test.skipIf(budget({ commit: 0, night: 1, release: 1 }) === 0);

const BASE = {
  name: 'Arabic',
  speakers: 380000000,
  reviewed: '2026-11-20',
  official: true,
  scripts: ['Arab', 'Syrc'],
  notes: 'Covers 30 languages. Standard Arabic is the written form in most countries.',
};
const MINE = {
  ...BASE,
  speakers: 411000000,
  reviewed: '2026-11-23',
  notes: BASE.notes.replace('30', '28'),
};
const THEIRS = {
  ...BASE,
  speakers: 422000000,
  scripts: ['Arab', 'Syrc', 'Hebr'],
  notes: BASE.notes.replace('in most countries', 'everywhere'),
};

let opened: OpenConsole;
let page: Page;

withConsole(async (console) => {
  opened = console;
  page = console.ada.page;
  page.on('dialog', (dialog) => void dialog.accept());
  await makeDatabase(page, console.url, 'languages', [{ _id: 'ara', ...BASE }]);
});

const documentUrl = () => `${opened.url}/fp/databases/languages/docs/ara`;
const merge = () => page.getByRole('region', { name: 'Merge', exact: true });
const use = () => page.getByRole('button', { name: 'Use the merged document' });
const status = (text: RegExp) => page.getByRole('status').filter({ hasText: text }).first().waitFor();

async function openDocument(one: Page): Promise<void> {
  await one.goto(documentUrl());
  await one.getByRole('textbox', { name: 'Document as JSON' }).waitFor({ state: 'visible' });
  await one.getByText('"Arabic"').waitFor({ state: 'visible' });
}

async function save(one: Page, doc: object): Promise<void> {
  await typeText(one, /document/i, JSON.stringify(doc));
  await one.keyboard.press('ControlOrMeta+s');
  await one.getByText('Saved in this browser.').waitFor({ state: 'visible' });
}

/** Stores the base, types my version, and stores the other one in another tab. */
async function clash(): Promise<void> {
  await page.evaluate(() => localStorage.setItem('fixpoint:document-view', 'json'));
  await openDocument(page);
  await save(page, { ...BASE, again: Date.now() });
  await save(page, BASE);
  await typeText(page, /document/i, JSON.stringify(MINE));
  const other = await page.context().newPage();
  await openDocument(other);
  await save(other, THEIRS);
  await other.close();
  await page.getByText(/^This document was changed elsewhere/).waitFor({ state: 'visible' });
}

async function openMerge(): Promise<void> {
  await clash();
  await page.getByRole('button', { name: 'Merge...' }).click();
  await merge().waitFor({ state: 'visible' });
}

/** Returns the stored document, which the merge and Save wrote. */
async function saved(): Promise<unknown> {
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('Saved in this browser.').waitFor({ state: 'visible' });
  const json = page.getByRole('button', { name: 'JSON', exact: true });
  if ((await json.getAttribute('aria-pressed')) !== 'true') await json.click();
  await page.getByRole('textbox', { name: 'Document as JSON' }).waitFor({ state: 'visible' });
  return JSON.parse((await page.locator('.cm-line').allInnerTexts()).join('\n'));
}

describe('merging a document that another tab changed', () => {
  test('chooses per field, merges the others, and can be left and undone', async () => {
    await openMerge();
    await status(/^2 conflicts$/);
    expect(await merge().getByText('2 fields merged without a conflict').isVisible()).toBe(true);
    await merge()
      .getByRole('radio', { name: /^The other version 422/ })
      .check();
    await status(/^1 of 2 conflicts left$/);
    expect(await use().isDisabled()).toBe(true);
    const sides = merge()
      .getByRole('group', { name: /^speakers/ })
      .getByRole('radio', { name: /version 4/ });
    const [mine, other] = await Promise.all([sides.nth(0).boundingBox(), sides.nth(1).boundingBox()]);
    expect([other?.y, (other?.x ?? 0) > (mine?.x ?? 0)]).toEqual([mine?.y, true]);
    await page.goBack();
    await page.getByRole('button', { name: 'Merge...' }).click();
    await merge()
      .getByRole('radio', { name: /^The other version 422/ })
      .check();
    await merge().getByText('Use both edits').click();
    await use().click();
    await merge().waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Undo', exact: true }).last().click();
    await page.getByText(/^This document was changed elsewhere/).waitFor({ state: 'visible' });
    await page.getByRole('button', { name: 'Merge...' }).click();
    await merge()
      .getByRole('radio', { name: /^The other version 422/ })
      .check();
    await merge().getByText('Use both edits').click();
    await use().click();
    expect(await saved()).toEqual({
      ...THEIRS,
      reviewed: MINE.reviewed,
      notes: THEIRS.notes.replace('30', '28'),
    });
  });

  atNight('works with the keys N, 1, 2 and 3, with visible focus', async () => {
    await keepFocusInPage(page);
    await openMerge();
    const keys = new Keys(page);
    await keys.press('n');
    await keys.isAt(/^My version\s+Covers/);
    await keys.press('3');
    await keys.isAt(/^Use both edits/);
    await keys.press('n');
    await keys.isAt(/^My version\s+411/);
    await keys.press('2');
    await keys.isAt(/^The other version\s+422/);
    await status(/^All 2 conflicts decided$/);
    await keys.choose('Use the merged document');
    await merge().waitFor({ state: 'detached' });
    await expect.poll(async () => (await focused(page)).name).not.toBe('');
    expect(await saved()).toMatchObject({ speakers: 422000000, notes: THEIRS.notes.replace('30', '28') });
  });

  atNight('shows the other value at each field of the form', async () => {
    await clash();
    await page.getByRole('button', { name: 'Form', exact: true }).click();
    const form = page.getByRole('region', { name: 'Document as form' });
    await form.getByText(/changed it to 422,000,000$/).waitFor({ state: 'visible' });
    await form.getByText(/changed another part of this text$/).waitFor({ state: 'visible' });
    expect(await faultsOf(page)).toEqual([]);
    await form.getByRole('button', { name: 'Use both: notes' }).click();
    await form.getByRole('button', { name: 'Keep mine: speakers' }).click();
    await page.getByText(/^This document was changed elsewhere/).waitFor({ state: 'hidden' });
    expect(await saved()).toEqual({
      ...MINE,
      scripts: THEIRS.scripts,
      notes: THEIRS.notes.replace('30', '28'),
    });
  });

  for (const look of LOOKS)
    test(`has no accessibility faults: ${look.width} px, ${look.theme}`, async () => {
      if (inFirefox) return;
      await wear(page, look);
      await page.reload();
      await openMerge();
      expect(await faultsOf(page)).toEqual([]);
      const isNarrow = look.width < 640;
      if (isNarrow) {
        // One field per screen, with buttons that a thumb can press.
        await status(/^Field 1 of 2$/);
        expect(await merge().getByRole('heading', { level: 3 }).count()).toBe(1);
        await merge()
          .getByRole('radio', { name: /^My version/ })
          .check();
        await page.getByRole('button', { name: 'Next field' }).click();
        await merge()
          .getByRole('radio', { name: /^My version/ })
          .check();
        await page.getByRole('button', { name: 'Result', exact: true }).click();
        for (const one of await merge().getByRole('navigation', { name: 'Fields' }).getByRole('button').all())
          expect((await one.boundingBox())?.height).toBeGreaterThanOrEqual(40);
      } else await page.getByRole('button', { name: 'Use mine' }).click();
      await merge().getByRole('region', { name: 'Merged document' }).waitFor({ state: 'visible' });
      expect(await faultsOf(page)).toEqual([]);
      await page.getByRole('button', { name: 'Not now' }).click();
      await merge().waitFor({ state: 'detached' });
      // Otherwise, the next test finds unsaved text, which can't be saved over the other version.
      await page.getByRole('button', { name: 'Use the other version' }).click();
      await wear(page, { ...look, width: 1280, height: 800 });
    });
});

describe('the details of a change', () => {
  for (const look of LOOKS)
    atNight(`has no accessibility faults: ${look.width} px, ${look.theme}`, async () => {
      if (inFirefox) return;
      await wear(page, look);
      await page.goto(`${opened.url}/fp/databases/languages/history`);
      const first = page.locator('li[aria-posinset="1"] button[aria-expanded]');
      await first.click();
      const details =
        look.width < 1024
          ? page.getByRole('dialog', { name: 'Change' })
          : page.getByRole('complementary', { name: 'Change' });
      await details.getByRole('list', { name: 'Changed documents' }).waitFor({ state: 'visible' });
      expect(await details.getByRole('term').allInnerTexts()).toEqual(['Written', 'Version']);
      expect(await faultsOf(page)).toEqual([]);
      await details.getByRole('button', { name: /^Close/ }).click();
      await details.waitFor({ state: 'detached' });
    });
});

atNight('explains invalid JSON with line and column, corrects it, and goes there with F8', async () => {
  await wear(page, { ...LOOKS[0], width: 1280, height: 800 } as (typeof LOOKS)[number]);
  await openDocument(page);
  await typeText(page, /document/i, '{\n  "name": "Arabic",\n  "scope": M\n}');
  const problem = page.getByRole('region', { name: 'Problem in the JSON' });
  await problem.getByText('line 3, column 12.').waitFor({ state: 'visible' });
  expect(await page.getByRole('button', { name: 'Save', exact: true }).isDisabled()).toBe(true);
  expect(await faultsOf(page)).toEqual([]);
  await page.getByRole('button', { name: 'Copy id' }).focus();
  await page.keyboard.press('F8');
  await expect.poll(async () => (await focused(page)).name).toBe('editor');
  await problem.getByRole('button', { name: 'Use "M"' }).click();
  await problem.waitFor({ state: 'detached' });
  await expect.poll(() => page.locator('.cm-line').allInnerTexts()).toContain('  "scope": "M"');
});
