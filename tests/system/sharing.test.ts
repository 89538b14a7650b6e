/** Shares a ledger and revokes access to it, in the console. */
import type { Browser, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { mailedLink } from '../../packages/cloud/tests/page.fixture.ts';
import { unexpected } from './factors.fixture.ts';
import { faultsOf } from './local.fixture.ts';
import { makeLedger, signUp, takeIn, writeDocument } from './people.fixture.ts';
import { inFirefox, type Product, visitor, withProduct } from './product.fixture.ts';

let product: Product;
let browser: Browser;

withProduct((opened) => {
  ({ product, browser } = opened);
});

/**
 * Checks the accessibility of a page, except in Firefox: a content process of Debian's Firefox
 * crashes when axe reads the members page at 375 px, whatever the rule.
 */
const faultsIn = async (page: Page): Promise<string[]> => (inFirefox ? [] : faultsOf(page));

/**
 * Expects that the pages offer a user with the right `read` no action that the server would reject.
 */
async function readOnly(page: Page, ledger: string): Promise<void> {
  const main = page.getByRole('main');
  const offered = (names: readonly string[]) =>
    Promise.all(
      names.map((name) => main.getByRole('button', { name }).or(main.getByRole('link', { name })).count()),
    );
  await page.goto(`${ledger}/documents/new`);
  await main.getByText('You can read this database, but not write to it.').waitFor({ state: 'visible' });
  await main.getByRole('link', { name: 'All documents' }).click();
  await main.getByText('Read only', { exact: true }).waitFor({ state: 'visible' });
  const row = main.getByRole('link', { name: 'shared', exact: true });
  await row.focus();
  await page.keyboard.press('Delete');
  await page.keyboard.press('Space');
  await main.getByText('1 selected').waitFor({ state: 'visible' });
  await main.locator('[data-row] [data-column=title]').hover();
  await expect
    .poll(() => offered(['New Document', 'Import', 'Edit', 'Delete', 'Copy']))
    .toEqual([0, 0, 0, 0, 1]);
  await page.keyboard.press('Escape');
  await row.click();
  await main.getByText('You can read this document, but not change it.').waitFor({ state: 'visible' });
  await expect
    .poll(() => main.getByRole('textbox', { name: /document/i }).getAttribute('contenteditable'))
    .toBe('false');
  await main.getByRole('textbox', { name: /document/i }).click();
  await page.keyboard.type('x');
  await expect.poll(() => offered(['Save', 'Add files', 'Back'])).toEqual([0, 0, 1]);
  await main.getByText('"title": "for both"').waitFor({ state: 'visible' });
}

test('shares a ledger with a member for reading, and revokes the access', async () => {
  const ada = await visitor(browser, { viewport: { width: 375, height: 740 } });
  const grace = await visitor(browser);
  await signUp(product, ada, 'ada@example.com', 'Ada');
  const { tenant, ledger } = await makeLedger(product, ada.page);
  await writeDocument(ada.page, `${ledger}/documents/new`, { _id: 'shared', title: 'for both' });
  await takeIn(product, ada, grace, tenant);
  // The list shows the names of members, each followed by the address.
  const named = (list: string) =>
    ada.page.getByRole('list', { name: list, exact: true }).getByRole('listitem');
  await expect
    .poll(() => named('Members').allInnerTexts())
    .toEqual([
      expect.stringMatching(/^Ada\nYou\nOwner\nada@example\.com/),
      expect.stringMatching(/^Grace\ngrace@example\.com/),
    ]);
  const faults = await faultsIn(ada.page);
  await ada.shot('members-375');

  await ada.page.goto(`${ledger}/sharing`);
  await ada.page.getByText('Control who has access to your database.').waitFor({ state: 'visible' });
  await ada.page.getByText('0 of 5 shares').waitFor({ state: 'visible' });
  await ada.page.getByLabel('Email', { exact: true }).fill('ada@example.com');
  await ada.page.getByRole('button', { name: 'Share', exact: true }).click();
  await ada.page.getByText(/is an admin of the tenant/).waitFor({ state: 'visible' });
  await ada.page.getByLabel('Email', { exact: true }).fill('grace@example.com');
  await ada.page.getByRole('button', { name: 'Share', exact: true }).click();
  await ada.page.getByText('1 of 5 shares').waitFor({ state: 'visible' });
  await expect.poll(() => ada.page.getByLabel('Right of grace@example.com').inputValue()).toBe('read');
  await expect
    .poll(() => named('Shared with').allInnerTexts())
    .toEqual([expect.stringMatching(/^Grace\nmember\ngrace@example\.com/)]);
  faults.push(...(await faultsIn(ada.page)));
  await ada.shot('sharing-375');

  await grace.page.goto(`${tenant}/members`);
  await grace.page.getByText('You need admin privileges to manage members.').waitFor({ state: 'visible' });
  await grace.page.goto(`${tenant}/delete`);
  await grace.page
    .getByText('You need admin privileges to delete this tenant.')
    .waitFor({ state: 'visible' });
  await expect
    .poll(() => grace.page.getByRole('main').getByRole('link').allInnerTexts())
    .toEqual(['Back to the tenant']);
  await grace.page.goto(`${ledger}/sharing`);
  await grace.page.getByText(/Ask an admin to change/).waitFor({ state: 'visible' });
  await readOnly(grace.page, ledger);
  faults.push(...(await faultsIn(grace.page)));
  await grace.shot('read-only');
  // Grace isn't an admin, so the server sends her the names of writers, but no list of members.
  await grace.page.goto(`${ledger}/history`);
  await grace.page.getByRole('main').getByRole('button', { name: /^Ada/ }).first().click();
  await grace.page.getByText(/from Ada, account /).waitFor({ state: 'visible' });
  await expect
    .poll(() =>
      grace.page
        .getByRole('main')
        .getByText(/^Account /)
        .count(),
    )
    .toBe(0);
  faults.push(...(await faultsIn(grace.page)));
  await grace.shot('history-of-member');
  await ada.page.getByRole('button', { name: 'Revoke the access of grace@example.com' }).click();
  await ada.page.getByRole('dialog', { name: 'Revoke access?' }).waitFor({ state: 'visible' });
  faults.push(...(await faultsIn(ada.page)));
  await ada.shot('sharing-revoke-375');
  await ada.page.getByRole('button', { name: 'Revoke access', exact: true }).click();
  await ada.page.getByText('0 of 5 shares').waitFor({ state: 'visible' });
  await grace.page.goto(`${ledger}/sharing`);
  await grace.page.getByText(/you don’t have access to it/).waitFor({ state: 'visible' });

  await ada.page.goto(`${tenant}/admin`);
  const revoked = /ended the access of grace@example.com to notes/;
  const shared = /shared notes with grace@example.com, who can read/;
  const activity = ada.page.getByRole('list', { name: 'Activity' }).getByRole('listitem');
  await activity.first().getByText(revoked).waitFor({ state: 'visible' });
  await activity.nth(1).getByText(shared).waitFor({ state: 'visible' });
  faults.push(...(await faultsIn(ada.page)));
  await activity.first().scrollIntoViewIfNeeded();
  await ada.shot('activity-375');

  await ada.page.goto(`${ledger}/sharing`);
  await ada.page.getByLabel('Email', { exact: true }).fill('hans@example.com');
  await ada.page.getByRole('button', { name: 'Share', exact: true }).click();
  await ada.page.getByText('Invitation sent to hans@example.com.').waitFor({ state: 'visible' });
  const letter = await mailedLink(product.data, 'Ada invites you to', 'hans@example.com');
  expect(letter).toContain('/fp/cloud/invite#');
  await ada.page.goto(`${tenant}/members`);
  const [invited, accepted] = ['hans@example.com', 'Grace'].map((text) =>
    named('Invitations').filter({ hasText: text }),
  );
  await invited?.getByText('for a database').waitFor({ state: 'visible' });
  await accepted?.getByText('grace@example.com').waitFor({ state: 'visible' });
  await ada.page.getByRole('button', { name: 'Resend' }).click();
  await ada.page.getByText('Invitation sent again.').waitFor({ state: 'visible' });
  faults.push(...(await faultsIn(ada.page)));
  await ada.shot('invites-375');
  expect([...faults, ...ada.problems, ...unexpected(grace.problems)]).toEqual([]);
});
