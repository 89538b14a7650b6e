/**
 * A process that writes until it is killed. Says `put n` or `bulk n` for each write that was acknowledged. With a third argument it compacts at the same
 * time, again and again, and keeps next to nothing of the past.
 */
import { fixpoint } from 'fixpoint';

const [directory, from, compacts] = [
  process.argv[2],
  Number(process.argv[3]),
  process.argv[4] === 'compacts',
];
const db = fixpoint('crash', { directory, ...(compacts && { history: { commits: 2 } }) });

async function compactForEver() {
  for (;;) await db.compact();
}
if (compacts) {
  await db.put({ _id: 'first' });
  void compactForEver();
}
for (let n = from; ; n++) {
  if (n % 5 === 0) {
    await db.bulk(['a', 'b', 'c'].map((part) => ({ _id: `bulk-${n}-${part}`, n })));
    process.stdout.write(`bulk ${n}\n`);
  } else {
    await db.put({ _id: `put-${n}`, n });
    process.stdout.write(`put ${n}\n`);
  }
}
