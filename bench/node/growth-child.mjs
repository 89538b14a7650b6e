/** One scenario of growth in a process of its own. */
import { grow } from '../growth.mjs';

const { name, sizes } = JSON.parse(process.argv[2]);
process.stdout.write(`${JSON.stringify(await grow(name, sizes))}\n`);
process.exit(0);
