/**
 * A process that writes until it is killed. Says `opening` when it has loaded the engine, then `put n` or `bulk n` for each write that was acknowledged.
 * What else it does is its third argument: `bulks` writes long bulks alone; `compacts` compacts again and again and keeps next to nothing of the past;
 * `queries` asks an index after each write; `syncs` is attached to the ledger that FIXPOINT_REMOTE names.
 */
import { fixpoint, toCloud } from 'fixpoint';

const [, , directory, from, how] = process.argv;
const say = (line) => process.stdout.write(`${line}\n`);
const parts = how === 'bulks' ? Array.from({ length: 300 }, (_, at) => `${at}`) : ['a', 'b', 'c'];

say('opening');
const db = fixpoint('crash', { directory, ...(how === 'compacts' && { history: { commits: 2 } }) });

async function compactForEver() {
  await db.put({ _id: 'first' });
  for (;;) await db.compact();
}
if (how === 'compacts') void compactForEver();
if (how === 'syncs') void db.attach(toCloud(JSON.parse(process.env.FIXPOINT_REMOTE)));

for (let n = Number(from); ; n++) {
  if (how === 'bulks' || n % 5 === 0) {
    await db.bulk(parts.map((part) => ({ _id: `bulk-${n}-${part}`, n })));
    say(`bulk ${n}`);
  } else {
    await db.put({ _id: `put-${n}`, n });
    say(`put ${n}`);
  }
  if (how === 'queries') await db.query('n', { limit: 1 });
}
