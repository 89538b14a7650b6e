/** Runs one growth scenario in a separate process. */
import { grow } from '../growth.mjs';

const { name, sizes } = JSON.parse(process.argv[2]);
process.stdout.write(`${JSON.stringify(await grow(name, sizes))}\n`);
process.exit(0);
