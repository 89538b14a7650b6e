/**
 * `npm create fixpoint`: creates an application from a template. Exit codes: 0 for success, 1 for a
 * failure, 2 for wrong usage, as for the command `fixpoint`.
 */
import { basename, join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { copyTemplate, isFree, listTemplates, packageNameOf, type Template } from './templates.ts';
import type { Terminal } from './terminal.ts';

export { processTerminal, type Terminal } from './terminal.ts';

const USAGE = 'Usage: npm create fixpoint <folder> -- --template <template>';
const DEFAULT_FOLDER = 'my-app';

class UsageError extends Error {}

/**
 * Runs the command.
 * @returns the exit code
 */
export async function main(args: readonly string[], terminal: Terminal): Promise<number> {
  try {
    await create(args, terminal);
    return 0;
  } catch (cause) {
    terminal.error(cause instanceof Error ? cause.message : String(cause));
    return cause instanceof UsageError ? 2 : 1;
  }
}

async function create(args: readonly string[], terminal: Terminal): Promise<void> {
  const { folder, template, help } = optionsIn(args);
  const templates = await listTemplates(terminal.templates);
  if (help) return [USAGE, '', ...linesOf(templates)].forEach(terminal.out);
  const chosen = template === undefined ? undefined : requireTemplate(templates, template);
  const given = folder ?? (await chooseFolder(terminal));
  const target = resolve(terminal.folder, given);
  // Checked before the next question, whose answer would otherwise be in vain.
  if (!(await isFree(target))) throw new UsageError(`${given} isn't an empty folder. Choose another one.`);
  const { name } = chosen ?? (await chooseTemplate(templates, terminal));
  await copyTemplate(join(terminal.templates, name), target, packageNameOf(basename(target)));
  nextSteps(terminal, target, name).forEach(terminal.out);
}

function optionsIn(args: readonly string[]) {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { template: { type: 'string', short: 't' }, help: { type: 'boolean', short: 'h' } },
    });
    if (positionals.length > 1) throw new Error(`Unexpected argument '${positionals[1]}'`);
    return { folder: positionals[0], template: values.template, help: values.help === true };
  } catch (cause) {
    throw new UsageError(`${cause instanceof Error ? cause.message : cause}\n${USAGE}`);
  }
}

const linesOf = (templates: readonly Template[]) => {
  const width = templates.reduce((widest, { name }) => Math.max(widest, name.length), 0);
  return templates.map(({ name, description }) => `  ${name.padEnd(width)}  ${description}`);
};

function requireTemplate(templates: readonly Template[], wanted: string): Template {
  const found = templates.find(({ name }) => name === wanted);
  if (found !== undefined) return found;
  throw new UsageError([`There is no template ${wanted}. Choose one of:`, ...linesOf(templates)].join('\n'));
}

async function chooseFolder({ ask }: Terminal): Promise<string> {
  if (ask === undefined) throw new UsageError(`The name of the new folder is missing.\n${USAGE}`);
  return (await ask(`Folder of the new application (${DEFAULT_FOLDER}): `)).trim() || DEFAULT_FOLDER;
}

async function chooseTemplate(templates: readonly Template[], { ask, error }: Terminal): Promise<Template> {
  const lines = linesOf(templates);
  if (ask === undefined) throw new UsageError(['Choose a template with --template:', ...lines].join('\n'));
  for (const [at, line] of lines.entries()) error(`${at + 1}.${line}`);
  for (;;) {
    const answer = (await ask(`Template (1 to ${templates.length}, or its name): `)).trim();
    const found = templates.find(({ name }, at) => answer === name || answer === String(at + 1));
    if (found !== undefined) return found;
    error(`There is no template ${answer}.`);
  }
}

/** Quotes a path for a shell if it contains anything that a shell may not read as it is. */
const quoted = (path: string) => (/^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`);

function nextSteps({ folder, agent }: Terminal, target: string, template: string): string[] {
  const [, manager = 'npm'] = /^(npm|pnpm|yarn|bun)\//.exec(agent) ?? [];
  const below = relative(folder, target);
  return [
    `Created ${target} from the template ${template}. Next:`,
    ...(below === '' ? [] : [`  cd ${quoted(below.startsWith('-') ? `./${below}` : below)}`]),
    `  ${manager} install`,
    `  ${manager} run dev`,
  ];
}
