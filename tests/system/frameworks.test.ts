/**
 * The examples in Vue, Svelte and Solid, built by Vite and driven in a real browser: they write,
 * show writes of another tab live, follow their options, and keep everything after a reload.
 */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ServedExample, servedExample } from './example.fixture.ts';
import { launchChromium, removeFolder, temporaryFolder, visitor } from './product.fixture.ts';

const folder = temporaryFolder();
const servers: ServedExample[] = [];
let browser: Browser;

beforeAll(async () => {
  browser = await launchChromium();
});

afterAll(async () => {
  await browser?.close();
  await Promise.all(servers.map((server) => server.close()));
  removeFolder(folder);
});

/** Opens an example in two tabs of one browser. */
async function twoTabs(name: string) {
  const served = await servedExample(name, folder);
  servers.push(served);
  const { url } = served;
  const { page, context, problems, shot } = await visitor(browser);
  const other = await context.newPage();
  other.on('pageerror', (error) => problems.push(`second tab: ${error.message}`));
  await page.goto(url);
  await other.goto(url);
  return { page, other, problems, shot, close: () => context.close() };
}

async function add(page: Page, label: string, text: string): Promise<void> {
  await page.getByRole('textbox', { name: label }).fill(text);
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  // The form is empty again after the write.
  await expect.poll(() => page.getByRole('textbox', { name: label }).inputValue()).toBe('');
}

const itemsOf = (page: Page) =>
  page
    .getByRole('listitem')
    .allInnerTexts()
    .then((texts) => texts.map((text) => text.trim()));

test.each([
  { name: 'vue-list', field: 'What to buy', option: 'Show what is bought' },
  { name: 'solid-list', field: 'Task', option: 'Show finished tasks' },
])(
  'shows the list of the example $name live in a second tab, and keeps it after a reload',
  async (example) => {
    const { page, other, problems, shot, close } = await twoTabs(example.name);
    const { field, option } = example;
    await add(page, field, 'Milk');
    await add(page, field, 'Salt');
    await expect.poll(() => itemsOf(page)).toEqual(['Milk', 'Salt']);
    await expect.poll(() => itemsOf(other)).toEqual(['Milk', 'Salt']);

    await other.getByRole('checkbox', { name: 'Milk' }).click();
    await expect.poll(() => itemsOf(page)).toEqual(['Salt']);
    await page.getByRole('checkbox', { name: option }).check();
    await expect.poll(() => itemsOf(page)).toEqual(['Milk', 'Salt']);
    expect(await page.getByRole('checkbox', { name: 'Milk' }).isChecked()).toBe(true);
    await shot(example.name);

    await page.reload();
    await expect.poll(() => itemsOf(page)).toEqual(['Salt']);
    expect(await page.getByRole('alert').count()).toBe(0);
    expect(problems).toEqual([]);
    await close();
  },
);

test('moves cards of the example svelte-board in both tabs, and keeps them after a reload', async () => {
  const { page, other, problems, shot, close } = await twoTabs('svelte-board');
  const columns = async (tab: Page) => {
    const texts = ['To do', 'Doing', 'Done'].map((name) =>
      tab.getByRole('region', { name }).getByRole('listitem').allInnerTexts(),
    );
    return (await Promise.all(texts)).map((column) =>
      column.map((text) => text.replaceAll(/[←→]/g, '').trim()),
    );
  };
  await add(page, 'Card', 'Write');
  await add(page, 'Card', 'Test');
  await expect.poll(() => columns(page)).toEqual([['Write', 'Test'], [], []]);
  await expect.poll(() => columns(other)).toEqual([['Write', 'Test'], [], []]);

  await other.getByRole('button', { name: 'Move Write on' }).click();
  await expect.poll(() => columns(page)).toEqual([['Test'], ['Write'], []]);
  await page.getByRole('button', { name: 'Move Write on' }).click();
  await page.getByRole('button', { name: 'Move Test on' }).click();
  await expect.poll(() => columns(other)).toEqual([[], ['Test'], ['Write']]);
  await shot('svelte-board');

  await page.getByLabel('Filter').fill('wri');
  await expect.poll(() => columns(page)).toEqual([[], [], ['Write']]);
  await page.reload();
  await expect.poll(() => columns(page)).toEqual([[], ['Test'], ['Write']]);
  expect(await page.getByRole('alert').count()).toBe(0);
  expect(problems).toEqual([]);
  await close();
});
