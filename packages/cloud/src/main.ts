/** The process: reads the environment, starts, says where it is, and stops on a signal. */
import { isFixpointError } from '@fixpoint/protocol';
import { configFrom } from './config.ts';
import { startCloud } from './start.ts';

function endWith(cause: unknown): never {
  const text = isFixpointError(cause)
    ? cause.message
    : `Fixpoint could not start: ${(cause as Error).message}`;
  process.stderr.write(`${text.replace(/\s+/g, ' ')}\n`);
  process.exit(1);
}

try {
  const cloud = await startCloud(configFrom(process.env));
  let stopping = false;
  for (const signal of ['SIGTERM', 'SIGINT'] as const)
    process.on(signal, () => {
      // Who asks twice is in a hurry; nothing that was acknowledged is lost by it.
      if (stopping) process.exit(0);
      stopping = true;
      cloud.stop().then(() => process.exit(0), endWith);
    });
  process.stdout.write(`Fixpoint is ready: ${cloud.url}\n`);
} catch (cause) {
  endWith(cause);
}
