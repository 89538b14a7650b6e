/** A process that writes until it is killed. Says `put n` or `bulk n` for each write that was acknowledged. */
import { fixpoint } from 'fixpoint';

const [directory, from] = [process.argv[2], Number(process.argv[3])];
const db = fixpoint('crash', { directory });
for (let n = from; ; n++) {
  if (n % 5 === 0) {
    await db.bulk(['a', 'b', 'c'].map((part) => ({ _id: `bulk-${n}-${part}`, n })));
    process.stdout.write(`bulk ${n}\n`);
  } else {
    await db.put({ _id: `put-${n}`, n });
    process.stdout.write(`put ${n}\n`);
  }
}
