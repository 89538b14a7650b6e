/** A process that requests a lease and prints what it receives. */
import { fileLeases } from '../dist/platform/node/file-lease.js';
import { systemTime } from '../dist/platform/system.js';

const [directory, name] = process.argv.slice(2);
const say = (text) => process.stdout.write(`${text}\n`);
let last = '';
const lease = fileLeases(directory, systemTime, (error) => say(`failed ${error}`)).seek('db', 'work', {
  taken: () => say('taken'),
  lost: () => say('lost'),
  words: () => `words of ${name}`,
  heard: (words) => {
    if (words !== last) say(words);
    last = words;
  },
});
await lease.settled;
say('settled');
process.stdin.once('data', async () => {
  await lease.release();
  process.exit(0);
});
