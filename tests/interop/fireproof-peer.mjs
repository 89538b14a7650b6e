/** An existing client in a process of its own: writes documents, says which it has when it has all, and stays until it is ended: uploads go on meanwhile. */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const { home, folder, host, token, name, writes, expected } = JSON.parse(process.argv[2]);
const require = createRequire(join(home, 'package.json'));
const load = (module) => import(pathToFileURL(require.resolve(module)).href);
const { fireproof } = await load('@fireproof/core');
const { SimpleTokenStrategy, toCloud } = await load('@fireproof/core-gateways-cloud');

const db = fireproof(`of-${name}`, { storeUrls: { base: `file://${folder}` } });
const urls = { base: `fpcloud://${host}/?protocol=ws` };
await db.attach(toCloud({ urls, strategy: new SimpleTokenStrategy(token) }));
for (let index = 0; index < writes; index++) await db.put({ _id: `${name}-${index}`, index });
for (;;) {
  const ids = (await db.allDocs()).rows.map(({ key }) => key).sort();
  if (ids.length >= expected) {
    process.stdout.write(`${JSON.stringify(ids)}\n`);
    break;
  }
  await new Promise((resolve) => setTimeout(resolve, 50));
}
process.stdin.resume();
