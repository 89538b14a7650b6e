/** The process: reads the environment, starts, and stops on a signal. */
import { isFixpointError } from '@fixpoint/protocol';
import { configFrom } from './config.ts';
import { startCloud } from './start.ts';

try {
  const cloud = await startCloud(configFrom(process.env));
  process.stdout.write(`Fixpoint is ready: ${cloud.url}\n`);
  for (const signal of ['SIGTERM', 'SIGINT'] as const)
    process.once(signal, () => {
      cloud.stop().then(
        () => process.exit(0),
        () => process.exit(1),
      );
    });
} catch (cause) {
  const text = isFixpointError(cause)
    ? cause.message
    : `Fixpoint could not start: ${(cause as Error).message}`;
  process.stderr.write(`${text}\n`);
  process.exit(1);
}
