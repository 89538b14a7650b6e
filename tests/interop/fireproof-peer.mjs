/**
 * An existing client in a separate process. It writes, then prints `["id: value", ...]` when it has
 * the expected content or when the timeout expires. With `read`, the output also contains the file
 * of a document, or the reason why the file is missing. With `tellHead`, the output also contains
 * the head. The process runs until it is killed, because its uploads continue after the output.
 */
import { fireproof } from '@fireproof/core';
import { SimpleTokenStrategy, toCloud } from '@fireproof/core-gateways-cloud';

const PATIENCE_MS = 120_000;
const {
  folder,
  host,
  token,
  name,
  puts = [],
  bulk = [],
  deletes = [],
  attached = [],
  read,
  tellHead = false,
  expected,
} = JSON.parse(process.argv[2]);

const db = fireproof(name, { storeUrls: { base: `file://${folder}` } });
const urls = { base: `fpcloud://${host}/?protocol=ws` };
await db.attach(toCloud({ urls, strategy: new SimpleTokenStrategy(token) }));
// The client can delete only documents that it has received.
for (const id of deletes) await until(async () => (await shown()).some((text) => text.startsWith(`${id}: `)));
if (bulk.length > 0) await db.bulk(bulk);
for (const doc of puts) await db.put(doc);
for (const id of deletes) await db.del(id);
for (const { file, ...doc } of attached)
  await db.put({ ...doc, _files: { it: new File([file], 'it', { type: 'text/plain' }) } });
await until(async () => (await shown()).join() === expected.join());
const answer = [...(await shown()), ...(read === undefined ? [] : [await fileOf(read)])];
if (tellHead) answer.push(...(await db.allDocs()).clock.map(String).sort());
process.stdout.write(`${JSON.stringify(answer)}\n`);
process.stdin.resume();

async function shown() {
  const { rows } = await db.allDocs();
  return rows.map(({ value }) => `${value._id}: ${value.value}`).sort();
}

async function fileOf(id) {
  try {
    const { _files } = await db.get(id);
    return `file: ${await (await _files.it.file()).text()}`;
  } catch (cause) {
    return `no file: ${cause.message}`;
  }
}

async function until(condition) {
  const latest = Date.now() + PATIENCE_MS;
  while (!(await condition()) && Date.now() < latest) await new Promise((resolve) => setTimeout(resolve, 50));
}
