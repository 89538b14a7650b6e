/** Measures sync and the gateway, with a server in a separate process. */
import { measureRequests, measureSockets } from './load.mjs';
import { startBareServer, startServer } from './server.mjs';
import { measureMeetings, measureSync } from './sync.mjs';

const PLACE = 'Sync and gateway';

const MEASURES = [
  { name: 'sync', start: startServer, measure: measureSync },
  { name: 'meetings', start: startServer, measure: measureMeetings },
  { name: 'requests', start: startServer, measure: measureRequests },
  { name: 'requests', start: startBareServer, measure: measureRequests, product: 'bare node:http' },
  { name: 'sockets', start: startServer, measure: measureSockets },
];

export async function runWithCloud({ rounds, cloud, results, note }) {
  for (let round = 1; round <= rounds; round++)
    for (const { name, start, measure, product = 'Fixpoint' } of MEASURES) {
      note(`Cloud, round ${round}: ${name} ${product}`);
      const server = await start();
      try {
        for (const row of await measure(server, cloud)) results.add(PLACE, product, row);
      } finally {
        await server.stop();
      }
    }
}
