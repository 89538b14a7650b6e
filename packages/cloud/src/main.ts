/**
 * Runs the task that the arguments of the process select. Without arguments, runs the server, which
 * prints its address and stops on a signal.
 */
import { isFixpointError } from '@fixpoint/protocol';
import { configFrom } from './config.ts';
import { approveWaitlist, waitlist } from './operate-waitlist.ts';
import { rotateSessionSecret, rotateTokenKeys } from './secrets.ts';
import { startCloud } from './start.ts';
import { operatorNote } from './tokens/operator-link.ts';
import { readTask, USAGE } from './words.ts';

function endWith(cause: unknown): never {
  const text = isFixpointError(cause)
    ? cause.message
    : `Fixpoint could not start: ${(cause as Error).message}`;
  process.stderr.write(`${text.replace(/\s+/g, ' ')}\n`);
  process.exit(1);
}

const task = readTask(process.argv.slice(2));
if (task === undefined) {
  process.stderr.write(USAGE);
  process.exit(2);
}

if (task.is === 'rotate-keys') {
  const { data } = configFrom(process.env);
  await (task.ofSessions ? rotateSessionSecret(data) : rotateTokenKeys(data)).catch(endWith);
  const said = task.ofSessions
    ? 'Everybody must sign in again after the next start.'
    : 'The next key signs cloud tokens after the next start.';
  process.stdout.write(`${said}\n`);
  process.exit(0);
}

if (task.is === 'waitlist' || task.is === 'approve') {
  const config = configFrom(process.env);
  const listed = task.is === 'approve' ? approveWaitlist(config, task.addresses) : waitlist(config);
  for (const { email, userId, since } of await listed.catch(endWith))
    process.stdout.write(`${since} ${userId} ${email}\n`);
  process.exit(0);
}

try {
  const config = configFrom(process.env);
  const cloud = await startCloud(config);
  let stopping = false;
  for (const signal of ['SIGTERM', 'SIGINT'] as const)
    process.on(signal, () => {
      // A second signal stops at once. This loses no acknowledged data.
      if (stopping) process.exit(0);
      stopping = true;
      cloud.stop().then(() => process.exit(0), endWith);
    });
  process.stdout.write(`Fixpoint is ready: ${cloud.url}${config.basePath}\n`);
  if (cloud.operatorLink !== undefined) process.stdout.write(`${operatorNote(cloud.operatorLink)}\n`);
} catch (cause) {
  endWith(cause);
}
