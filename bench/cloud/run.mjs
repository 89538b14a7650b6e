/** Sync and the gateway, through a server in a process of its own. */
import { measureRequests, measureSockets } from './load.mjs';
import { startServer } from './server.mjs';
import { measureMeetings, measureSync } from './sync.mjs';

const PLACE = 'Sync and gateway';

export async function runWithCloud({ rounds, cloud, results, note }) {
  for (let round = 1; round <= rounds; round++)
    for (const [name, measure] of Object.entries({
      sync: measureSync,
      meetings: measureMeetings,
      requests: measureRequests,
      sockets: measureSockets,
    })) {
      note(`Cloud, round ${round}: ${name}`);
      const server = await startServer();
      try {
        for (const row of await measure(server, cloud)) results.add(PLACE, 'Fixpoint', row);
      } finally {
        await server.stop();
      }
    }
}
