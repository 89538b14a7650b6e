/**
 * A process that writes `count` documents and prints the number of each acknowledged document. It
 * exits when it receives input on stdin.
 */
import { fixpoint } from 'fixpoint';

const [directory, prefix, count] = [process.argv[2], process.argv[3], Number(process.argv[4])];
const db = fixpoint('shared', { directory });
await db.ready();
process.stdout.write('ready\n');
const closed = new Promise((resolve) => db.onClosed(resolve));
try {
  for (let n = 0; n < count; n++) {
    await db.put({ _id: `${prefix}-${n}`, at: Date.now() });
    process.stdout.write(`${n}\n`);
  }
} catch (error) {
  process.stdout.write(`${error.code}\n`);
  await closed;
  process.stdout.write('closed\n');
  process.exit(1);
}
process.stdout.write('done\n');
await new Promise((resolve) => process.stdin.once('data', resolve));
await db.close();
process.exit(0);
