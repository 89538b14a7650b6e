import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { fakeTerminal, removeFolders, TEMPLATES } from './create.fixture.ts';
import { main } from './create-app.ts';

afterAll(removeFolders);

const filesIn = (folder: string) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort();
const nameIn = (folder: string) => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')).name;

describe('npm create fixpoint', () => {
  test('creates all files of the template, with the name of the folder, and prints the next commands', async () => {
    const terminal = fakeTerminal();
    expect(await main(['my-notes', '--template', 'notes'], terminal)).toBe(0);
    const app = join(terminal.folder, 'my-notes');
    expect(filesIn(app)).toEqual([
      '.gitignore',
      'index.html',
      'package.json',
      'src/deep/package.json',
      'src/main.ts',
    ]);
    expect(JSON.parse(readFileSync(join(app, 'package.json'), 'utf8'))).toEqual({
      name: 'my-notes',
      version: '0.0.0',
      description: 'Notes',
      type: 'module',
    });
    expect(nameIn(join(app, 'src/deep'))).toBe('inner');
    expect(readFileSync(join(app, 'index.html'), 'utf8')).toBe(TEMPLATES['notes/index.html']);
    expect(terminal.lines).toEqual([
      `Created ${app} from the template notes. Next:`,
      '  cd my-notes',
      '  npm install',
      '  npm run dev',
    ]);
    expect(terminal.errors).toEqual([]);
  });

  test.each([
    { args: ['a', '-t', 'board'] },
    { args: ['-t', 'board', 'a'] },
    { args: ['--template=board', 'a'] },
    { args: ['--template', 'board', '--', 'a'] },
  ])('accepts the arguments $args in any order', async ({ args }) => {
    const terminal = fakeTerminal();
    expect(await main(args, terminal)).toBe(0);
    expect(filesIn(join(terminal.folder, 'a'))).toEqual(['package.json']);
  });

  test('prints the usage and all templates with --help, and creates nothing', async () => {
    const terminal = fakeTerminal();
    expect(await main(['a', '--help'], terminal)).toBe(0);
    expect(terminal.lines).toEqual([
      'Usage: npm create fixpoint <folder> -- --template <template>',
      '',
      '  board  A board',
      '  notes  Notes',
    ]);
    expect(readdirSync(terminal.folder)).toEqual([]);
  });

  test.each([
    { agent: 'pnpm/9.1.0 npm/? node/v20', manager: 'pnpm' },
    { agent: 'yarn/1.22.22 npm/? node/v20', manager: 'yarn' },
    { agent: 'bun/1.2.0', manager: 'bun' },
    { agent: 'evil; rm -rf/1.0', manager: 'npm' },
    { agent: '', manager: 'npm' },
  ])('prints commands of $manager for the agent "$agent"', async ({ agent, manager }) => {
    const terminal = fakeTerminal(undefined, agent);
    await main(['a', '-t', 'board'], terminal);
    expect(terminal.lines.slice(-2)).toEqual([`  ${manager} install`, `  ${manager} run dev`]);
  });

  test.each([
    { folder: 'two words', cd: "  cd 'two words'" },
    { folder: "Ann's", cd: "  cd 'Ann'\\''s'" },
    { folder: 'deep/er', cd: '  cd deep/er' },
    { folder: '$(id)', cd: "  cd '$(id)'" },
    { folder: './-rf', cd: '  cd ./-rf' },
  ])('quotes the folder $folder for a shell', async ({ folder, cd }) => {
    const terminal = fakeTerminal();
    expect(await main([folder, '-t', 'board'], terminal)).toBe(0);
    expect(terminal.lines[1]).toBe(cd);
  });

  test('creates an application in the current folder, without a cd', async () => {
    const terminal = fakeTerminal();
    expect(await main(['.', '-t', 'board'], terminal)).toBe(0);
    expect(terminal.lines.slice(1)).toEqual(['  npm install', '  npm run dev']);
    expect(nameIn(terminal.folder)).toMatch(/^create-fixpoint-[a-z0-9]+$/);
  });
});

describe('npm create fixpoint in a folder that exists', () => {
  test('refuses a folder with files before it asks for a template, and changes nothing', async () => {
    const terminal = fakeTerminal(['1']);
    mkdirSync(join(terminal.folder, 'a'));
    writeFileSync(join(terminal.folder, 'a', 'package.json'), 'mine');
    expect(await main(['a'], terminal)).toBe(2);
    expect(terminal.errors).toEqual(["a isn't an empty folder. Choose another one."]);
    expect(terminal.questions).toEqual([]);
    expect(filesIn(join(terminal.folder, 'a'))).toEqual(['package.json']);
    expect(readFileSync(join(terminal.folder, 'a', 'package.json'), 'utf8')).toBe('mine');
  });

  test('refuses a file, a hidden file in the folder, and a link to a full folder', async () => {
    const terminal = fakeTerminal();
    const { folder } = terminal;
    writeFileSync(join(folder, 'file'), '');
    mkdirSync(join(folder, 'hidden'));
    writeFileSync(join(folder, 'hidden', '.env'), 'SECRET=1');
    symlinkSync(join(folder, 'hidden'), join(folder, 'link'));
    for (const name of ['file', 'hidden', 'link'])
      expect(await main([name, '-t', 'board'], terminal), name).toBe(2);
    expect(filesIn(folder).sort()).toEqual(['file', 'hidden/.env']);
  });

  test('uses an empty folder, and a new Git repository', async () => {
    const terminal = fakeTerminal();
    mkdirSync(join(terminal.folder, 'empty'));
    mkdirSync(join(terminal.folder, 'cloned', '.git'), { recursive: true });
    for (const name of ['empty', 'cloned']) {
      expect(await main([name, '-t', 'board'], terminal)).toBe(0);
      expect(nameIn(join(terminal.folder, name))).toBe(name);
    }
  });

  test('reports a folder that it may not write, with exit code 1', async () => {
    const terminal = fakeTerminal();
    writeFileSync(join(terminal.folder, 'file'), '');
    expect(await main(['a', '-t', 'board'], { ...terminal, folder: join(terminal.folder, 'file') })).not.toBe(
      0,
    );
    expect(terminal.errors).toHaveLength(1);
  });
});

describe('npm create fixpoint with missing or wrong arguments', () => {
  test('asks for the folder and the template, and asks again after a wrong answer', async () => {
    const terminal = fakeTerminal(['', 'nothing', '0', '3', ' 2 ']);
    expect(await main([], terminal)).toBe(0);
    expect(filesIn(join(terminal.folder, 'my-app'))).toContain('src/main.ts');
    expect(terminal.questions).toEqual([
      'Folder of the new application (my-app): ',
      ...Array(4).fill('Template (1 to 2, or its name): '),
    ]);
    expect(terminal.errors).toEqual([
      '1.  board  A board',
      '2.  notes  Notes',
      ...['nothing', '0', '3'].map((answer) => `There is no template ${answer}.`),
    ]);
  });

  test('accepts the name of a template as an answer', async () => {
    const terminal = fakeTerminal(['board']);
    expect(await main(['a'], terminal)).toBe(0);
    expect(nameIn(join(terminal.folder, 'a'))).toBe('a');
  });

  test.each([{ answers: [] }, { answers: ['a'] }])(
    'creates nothing when the person cancels after the answers $answers',
    async ({ answers }) => {
      const terminal = fakeTerminal(answers);
      expect(await main([], terminal)).toBe(1);
      expect(terminal.errors.at(-1)).toBe('Cancelled');
      expect(readdirSync(terminal.folder)).toEqual([]);
    },
  );

  test.each([
    { args: [], says: /folder is missing/ },
    { args: ['a'], says: /--template:\n {2}board {2}A board\n {2}notes {2}Notes$/ },
    { args: ['a', '-t', 'vue'], says: /no template vue\. Choose one of:\n {2}board/ },
    { args: ['a', '-t', '../notes'], says: /no template \.\.\/notes/ },
    { args: ['a', '-t', '__proto__'], says: /no template __proto__/ },
    { args: ['a', '-t', ''], says: /no template / },
    { args: ['a', '-t'], says: /Usage/ },
    { args: ['a', 'b'], says: /Unexpected argument 'b'/ },
    { args: ['a', '--force'], says: /--force/ },
  ])('explains the arguments $args if nobody can answer, with exit code 2', async ({ args, says }) => {
    const terminal = fakeTerminal();
    expect(await main(args, terminal)).toBe(2);
    expect(terminal.errors.join('\n')).toMatch(says);
    expect(existsSync(join(terminal.folder, 'a'))).toBe(false);
  });

  test('writes only below the new folder, whatever its name is', async () => {
    const folderName = fc
      .string({ unit: 'grapheme', minLength: 1, maxLength: 30 })
      .filter((name) => !/[/\\\0]/.test(name) && !/^\.\.?$/.test(name) && !name.startsWith('-'));
    await fc.assert(
      fc.asyncProperty(folderName, async (name) => {
        const terminal = fakeTerminal();
        expect(await main([name, '-t', 'board'], terminal)).toBe(0);
        expect(readdirSync(terminal.folder)).toHaveLength(1);
        expect(nameIn(join(terminal.folder, name))).toMatch(/^[a-z0-9][a-z0-9._-]*$/);
      }),
      { numRuns: 50 },
    );
  });
});
