/**
 * Follows the tutorial. Each run builds the app without a server, with the packages of this
 * repository. By night, a reader follows all of it in a new folder, with packed packages.
 */
import { mkdirSync, mkdtempSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { mailedLink } from '../../packages/cloud/tests/page.fixture.ts';
import { packAll } from '../../scripts/pack.mjs';
import { codeBlocksOf } from '../architecture/code-blocks.fixture.ts';
import { PASSWORD } from './people.fixture.ts';
import {
  freePort,
  launchChromium,
  removeFolder,
  temporaryFolder,
  type Visitor,
  visitor,
} from './product.fixture.ts';
import { type Registry, registryOf } from './registry.fixture.ts';
import { type Reader, reader, type Step, stepsOf } from './tutorial.fixture.ts';

const PAGE = 'docs/guide/tutorial.md';
const markdown = readFileSync(PAGE, 'utf8');
const sections = stepsOf(PAGE, markdown);
const isQuick = ['check', 'commit'].includes(process.env['FIXPOINT_BUDGET'] ?? 'commit');
const SERVE = 'npx fixpoint serve';

let browser: Browser;
let ports: Readonly<Record<'app' | 'server', number>>;
let registry: Registry | undefined;
const folders: string[] = [];

beforeAll(async () => {
  browser = await launchChromium();
  ports = { app: await freePort(), server: await freePort() };
});
afterAll(async () => {
  registry?.close();
  await browser?.close();
  folders.map(removeFolder);
});

/** Replaces the ports of the tutorial by free ones. */
const withPorts = (line: string) =>
  line
    .replaceAll('localhost:5173', `localhost:${ports.app}`)
    .replaceAll('localhost:7370', `localhost:${ports.server}`)
    .replace(/^npx vite$/, `npx vite --port ${ports.app} --strictPort`)
    .replace(SERVE, `${SERVE} --port ${ports.server}`);

/** Starts to follow the tutorial in a folder. */
function begin(folder: string, typed: (line: string) => string | undefined, env: Record<string, string>) {
  folders.push(folder);
  const started = reader(folder, typed, { LOG_LEVEL: 'error', ...env });
  onTestFinished(() => started.close());
  return started;
}

const stepsIn = (heading: string): readonly Step[] => {
  const [, steps] = [...sections].find(([name]) => name.startsWith(`## ${heading}`)) ?? [];
  if (steps === undefined) throw new Error(`the tutorial has no section ${heading}`);
  return steps;
};
const choresOf = async (page: Page) =>
  (await page.getByRole('listitem').allInnerTexts()).map((text) => text.replace(/ Done$/, ''));
const add = async (page: Page, title: string) => {
  await page.getByLabel('Chore').fill(title);
  await page.getByRole('button', { name: 'Add' }).click();
  await page.getByRole('button', { name: `Done: ${title}` }).waitFor();
};
/** Reads the chores until they are as expected, in each page. */
const expectChores = async (pages: readonly Page[], chores: readonly string[]) => {
  for (const page of pages) await expect.poll(() => choresOf(page)).toEqual(chores);
};
const statusOf = (page: Page) => page.getByRole('status').innerText();

/** Follows the part without a server, and returns the first window. */
async function buildApp(started: Reader): Promise<Visitor> {
  const urls = await started.follow([...stepsIn('1.'), ...stepsIn('2.')]);
  expect(urls).toEqual([`http://localhost:${ports.app}`]);
  const first = await visitor(browser);
  // Vite may reload the page once, when it has bundled the packages.
  await first.page.goto(urls[0] ?? '', { waitUntil: 'networkidle' });
  await first.page.getByText('Only on this device').waitFor();
  await add(first.page, 'Water the plants');
  const second = await first.context.newPage();
  await second.goto(urls[0] ?? '');
  await expectChores([second], ['Water the plants']);
  await add(second, 'Bake bread');
  await expectChores([first.page, second], ['Bake bread', 'Water the plants']);
  await first.page.getByRole('button', { name: 'Done: Bake bread' }).click();
  await expectChores([first.page, second], ['Water the plants']);
  await first.page.reload();
  await expectChores([first.page, second], ['Water the plants']);
  await second.close();
  return first;
}

test('builds the app of the tutorial, which follows changes of a second window', async () => {
  mkdirSync('artefacts', { recursive: true });
  const folder = resolve(mkdtempSync(join('artefacts', 'tutorial-')));
  // The packages are those of this repository, so nothing is installed.
  const started = begin(folder, (line) => (line.startsWith('npm ') ? undefined : withPorts(line)), {});
  const { problems, context } = await buildApp(started);
  expect(problems).toEqual([]);
  await context.close();
});

describe.skipIf(isQuick)('the whole tutorial, with packed packages (by night)', () => {
  beforeAll(async () => {
    const packed = temporaryFolder();
    folders.push(packed);
    registry = await registryOf(packAll(packed));
  });

  /** Does in the console what section 3 lists, and returns the code of `session.ts`. */
  async function prepare({ page }: Visitor, server: string): Promise<string> {
    await page.goto(server);
    await page.getByRole('link', { name: 'Sign up' }).first().click();
    await signUp(page, 'Ada');
    await page.getByRole('link', { name: 'Create a tenant' }).first().click();
    await page.getByLabel('Name').fill('Home');
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('main').getByRole('link', { name: 'Create a database' }).click();
    await page.getByLabel('New Database Name:').fill('chores');
    await page.getByRole('button', { name: 'Create' }).click();
    await page.waitForURL(/\/ledgers\/(?!new)[^/]+/);
    const ledger = /^.*\/ledgers\/[^/]+/.exec(page.url())?.[0] ?? '';
    await page.goto(`${ledger.replace(/\/ledgers\/.*/, '')}/overview`);
    await page.getByRole('main').getByRole('link', { name: 'Settings' }).click();
    await page.getByRole('button', { name: 'Register an application' }).click();
    await page.getByLabel('Name', { exact: true }).last().fill('Chores');
    await page.getByLabel('Origins').fill(`http://localhost:${ports.app}`);
    await page.getByRole('button', { name: 'Register', exact: true }).click();
    const code = await page.getByRole('dialog', { name: 'Chores is registered' }).locator('pre').innerText();
    await page.goto(ledger);
    return code;
  }
  async function signUp(page: Page, name: string): Promise<void> {
    await page.getByLabel('Name').fill(name);
    await page.getByLabel('Email', { exact: true }).fill(`${name.toLowerCase()}@example.com`);
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign up' }).click();
    await page.waitForURL(/\/fp\/cloud/);
  }

  test('syncs two browsers and two people, also after the server was stopped', async () => {
    const folder = temporaryFolder();
    const started = begin(folder, withPorts, { npm_config_registry: registry?.url ?? '' });
    const ada = await buildApp(started);
    const app = ada.page;
    const [commands, template] = stepsIn('3.') as [Step, Step];
    const [server = ''] = await started.follow([commands]);
    expect(server).toBe(`http://localhost:${ports.server}`);

    const console = { ...ada, page: await ada.context.newPage() };
    const code = await prepare(console, server);
    expect(code.trim()).toBe(
      withPorts(template.code).replace('zYourAppId', /app: '(\w+)'/.exec(code)?.[1] ?? ''),
    );
    started.save('session.ts', code);
    await started.follow(stepsIn('4.'));

    // Vite reloads the page by itself after the files have changed.
    await app.getByRole('button', { name: 'Sign in' }).click();
    await app.getByRole('button', { name: 'Allow access' }).click();
    await app.getByRole('button', { name: 'Sign out Ada' }).waitFor();
    await expect.poll(() => statusOf(app)).toBe('in-sync');
    const other = await visitor(browser);
    await other.page.goto(`http://localhost:${ports.app}`);
    await other.page.getByRole('button', { name: 'Sign in' }).click();
    await other.page.getByLabel('Email', { exact: true }).fill('ada@example.com');
    await other.page.getByLabel('Password').fill(PASSWORD);
    await other.page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await other.page
      .getByRole('button', { name: 'Allow access' })
      .or(other.page.getByRole('status'))
      .first()
      .waitFor();
    if (await other.page.getByRole('button', { name: 'Allow access' }).isVisible())
      await other.page.getByRole('button', { name: 'Allow access' }).click();
    await expectChores([other.page], ['Water the plants']);
    await add(other.page, 'Bake bread');
    await expectChores([app, other.page], ['Bake bread', 'Water the plants']);

    await console.page.getByRole('link', { name: 'Sharing' }).first().click();
    await console.page.getByLabel('Email', { exact: true }).fill('ben@example.com');
    await console.page.getByRole('combobox', { name: 'Right' }).selectOption('write');
    await console.page.getByRole('button', { name: 'Share', exact: true }).click();
    await console.page.getByText('Invitation sent to ben@example.com.').waitFor();
    const ben = await visitor(browser);
    const data = join(started.folder(), '.fixpoint');
    await ben.page.goto(await mailedLink(data, 'Ada invites you to', 'ben@example.com'));
    await ben.page.getByLabel('Name').fill('Ben');
    await ben.page.getByLabel('Password').fill(PASSWORD);
    await ben.page.getByRole('button', { name: 'Create account and join' }).click();
    await ben.page.waitForURL(/\/fp\/cloud\/(?!invite)/);
    await ben.page.goto(`http://localhost:${ports.app}`);
    await ben.page.getByRole('button', { name: 'Sign in' }).click();
    await ben.page.getByRole('button', { name: 'Allow access' }).click();
    await expectChores([ben.page], ['Bake bread', 'Water the plants']);

    await started.stop(SERVE);
    for (const page of [app, ben.page]) await expect.poll(() => statusOf(page)).toBe('offline');
    await add(app, 'Clean the windows');
    await add(ben.page, 'Dust the shelves');
    await started.follow(stepsIn('6.'));
    const all = ['Bake bread', 'Clean the windows', 'Dust the shelves', 'Water the plants'];
    await expectChores([app, ben.page], all);
    await app.screenshot({ path: 'artefacts/tutorial.png', clip: { x: 0, y: 0, width: 480, height: 260 } });
    await Promise.all([ada, other, ben].map(({ context }) => context.close()));
  });

  test('creates an app with each command of the gallery', async () => {
    const commands = codeBlocksOf('docs/guide/examples.md').filter(({ code }) =>
      code.startsWith('npm create'),
    );
    expect(commands.length).toBeGreaterThan(5);
    for (const { code } of commands) {
      const folder = temporaryFolder();
      // `npx` keeps packages by their version, so it would run the one of an earlier night.
      const npm = { npm_config_cache: join(folder, 'cache'), npm_config_yes: 'true' };
      const started = begin(folder, withPorts, { npm_config_registry: registry?.url ?? '', ...npm });
      await started.follow([{ code }, { code: 'cd my-app' }]);
      const { name, dependencies } = JSON.parse(readFileSync(join(started.folder(), 'package.json'), 'utf8'));
      expect(name).toBe('my-app');
      expect(dependencies).toHaveProperty('fixpoint');
    }
  });
});
