/**
 * The process: reads the environment, starts, says where it is, and stops on a signal. With a word it does something beside the server that runs, and ends:
 * `rotate-keys` changes the key of cloud tokens, `rotate-keys sessions` the secret of sessions; `waitlist` prints who waits; `waitlist approve <address>...` or `waitlist approve --all` lets people in.
 */
import { FixpointError, isFixpointError } from '@fixpoint/protocol';
import { configFrom } from './config.ts';
import { approveWaitlist, waitlist } from './operate-waitlist.ts';
import { rotateSessionSecret, rotateTokenKeys } from './secrets.ts';
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
  const isOfSessions = process.argv[3] === 'sessions';
  await (isOfSessions ? rotateSessionSecret(data) : rotateTokenKeys(data)).catch(endWith);
  const said = isOfSessions
    ? 'Everybody signs in again after the next start.'
    : 'The next key signs cloud tokens from the next start on.';
  process.stdout.write(`${said}\n`);
  process.exit(0);
}

if (process.argv[2] === 'waitlist') {
  const config = configFrom(process.env);
  const [verb, ...wanted] = process.argv.slice(3);
  const isAll = wanted.includes('--all');
  if (verb === 'approve' && wanted.length === 0)
    endWith(new FixpointError('REQUEST_INVALID', 'whom? an address, or --all'));
  const listed = verb === 'approve' ? approveWaitlist(config, isAll ? undefined : wanted) : waitlist(config);
  for (const { email, userId, since } of await listed.catch(endWith))
    process.stdout.write(`${since} ${userId} ${email}\n`);
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
