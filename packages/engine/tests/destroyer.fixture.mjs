/**
 * A process that repeatedly opens, writes and destroys a database. It prints each failure except
 * DATABASE_CLOSED.
 */
import { fixpoint } from 'fixpoint';

const [directory, rounds] = [process.argv[2], Number(process.argv[3])];
for (let round = 0; round < rounds; round++) {
  const db = fixpoint('shared', { directory });
  const work = async () => {
    await db.put({ _id: 'a', text: 'x'.repeat(70_000) });
    await db.get('a');
  };
  for (const call of [work, () => db.destroy()])
    await call().catch((error) => {
      if (error.code !== 'DATABASE_CLOSED') process.stdout.write(`${error.code} ${error.message}\n`);
    });
}
process.stdout.write('done\n');
process.exit(0);
