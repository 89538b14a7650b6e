/**
 * Checks that this bundle can run here, reads the file that FIXPOINT_ENV_FILE names, and runs the
 * command. Old versions of Node must be able to parse this file, so it is a CommonJS module.
 */
const { readFileSync } = require('node:fs');
const { join } = require('node:path');
const { pathToFileURL } = require('node:url');

function refuse(line) {
  process.stderr.write(`${line}\n`);
  process.exit(1);
}

/** Returns the C library that this Node uses, which a native module must use, too. */
function libcOf() {
  if (process.platform !== 'linux') return '';
  // Without this setting, the report resolves the names of all open connections.
  process.report.excludeNetwork = true;
  return process.report.getReport().header.glibcVersionRuntime ? ' (glibc)' : ' (musl)';
}

const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19))
  refuse(`Fixpoint needs Node 20.19 or later; ${process.execPath} is ${process.versions.node}.`);

const built = readFileSync(join(__dirname, 'platform'), 'utf8').trim();
const here = `${process.platform}-${process.arch}${libcOf()}`;
if (here !== built)
  refuse(
    `This bundle runs on ${built}, and this machine is ${here}. Download or build the bundle for this machine, or install the npm packages.`,
  );

const file = process.env.FIXPOINT_ENV_FILE;
try {
  // Variables that are already set keep their values.
  if (file) process.loadEnvFile(file);
} catch (cause) {
  refuse(`Cannot read FIXPOINT_ENV_FILE=${file}: ${cause.message}`);
}

void import(pathToFileURL(join(__dirname, 'node_modules/@fixpoint/cli/bin/fixpoint.mjs')).href);
