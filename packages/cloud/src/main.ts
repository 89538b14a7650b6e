/** The process: reads the environment, starts, says where it is, and stops on a signal. With the word `rotate-keys` it changes the key of cloud tokens, and ends. */
import { isFixpointError } from '@fixpoint/protocol';
import { configFrom } from './config.ts';
import { rotateTokenKeys } from './secrets.ts';
import { startCloud } from './start.ts';

function endWith(cause: unknown): never {
  const text = isFixpointError(cause)
    ? cause.message
    : `Fixpoint could not start: ${(cause as Error).message}`;
  process.stderr.write(`${text.replace(/\s+/g, ' ')}\n`);
  process.exit(1);
}

if (process.argv[2] === 'rotate-keys') {
  const { data } = configFrom(process.env);
  await rotateTokenKeys(data).catch(endWith);
  process.stdout.write('The next key signs cloud tokens from the next start on.\n');
  process.exit(0);
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
