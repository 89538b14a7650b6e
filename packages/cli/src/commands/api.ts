import { randomInt } from 'node:crypto';
import { join, resolve } from 'node:path';
import { requireOrigin } from '../api/admission.ts';
import { startApi } from '../api/api-server.ts';
import { keptSecret, stateFolderOf } from '../api/api-state.ts';
import { type Call, type Command, UsageError } from '../command.ts';
import { openServed, SERVED_OPTIONS, type Served } from '../served/open-served.ts';
import { versionOfPackage } from '../served/package-version.ts';
import { startWebhooks } from '../webhooks/deliver.ts';
import { lockFolder } from '../webhooks/folder-lock.ts';
import { filePositions } from '../webhooks/positions.ts';
import { webhooksOf } from '../webhooks/webhook.ts';

const PORT_DEFAULT = 7380;
const HOST_DEFAULT = '127.0.0.1';

export const api: Command = {
  usage: [
    'api <database> [--port 7380] [--host 127.0.0.1] [--read-only] [--webhook URL]...',
    'api [<database>] --ledger ID [--tenant ID] [--kind sealed|open-key] [--url URL]',
  ],
  options: {
    port: { type: 'string', value: 'PORT', help: `port to listen on; default: ${PORT_DEFAULT}` },
    host: { type: 'string', value: 'HOST', help: `address to listen on; default: ${HOST_DEFAULT}` },
    'read-only': { type: 'boolean', help: 'reject requests that write' },
    webhook: {
      type: 'string',
      multiple: true,
      value: 'URL',
      help: 'send changes to this address; default: the addresses in $FIXPOINT_WEBHOOKS',
    },
    'allow-origin': {
      type: 'string',
      multiple: true,
      value: 'ORIGIN',
      help: 'let websites of this origin use the API; default: none',
    },
    'allow-host': {
      type: 'string',
      multiple: true,
      value: 'HOST',
      help: 'also answer requests for this host name, with its port, such as that of a proxy',
    },
    state: {
      type: 'string',
      value: 'FOLDER',
      help: 'folder of the token and of the webhooks; default: one for each database in ~/.config/fixpoint/api',
    },
    'without-token': { type: 'boolean', help: 'answer all programs on this machine' },
    ...SERVED_OPTIONS,
  },
  takes: { '': 1 },
  run: async (call) => {
    const { io, flag } = call;
    const port = portOf(call);
    const origins = call.texts('allow-origin').map(requireOrigin);
    const served = await openServed(call);
    let unlock: () => Promise<void> = async () => undefined;
    try {
      const folder = stateOf(call, served);
      const token = flag('without-token') ? undefined : await keptSecret(folder, 'token', '');
      const hooks = await preparedWebhooks(call, served, folder);
      unlock = hooks.unlock;
      const report = (cause: unknown) => io.note(`api: ${(cause as Error).stack ?? String(cause)}`);
      const { db, feed, attached } = served;
      const server = await startApi({
        db,
        feed,
        attached,
        host: call.text('host') ?? HOST_DEFAULT,
        port,
        token: token?.value,
        hosts: call.texts('allow-host'),
        origins,
        isReadOnly: flag('read-only'),
        version: versionOfPackage(),
        report,
      });
      const stopWebhooks = hooks.start();
      const about = { url: server.url, tokenFile: token?.file, webhookSecretFile: hooks.secretFile };
      if (flag('json')) io.out(JSON.stringify(about));
      else for (const line of linesAbout(served.name, about)) io.out(line);
      const closed = new Promise<void>((done) => db.onClosed(() => done()));
      await Promise.race([io.ended, closed]);
      await Promise.all([server.close(), stopWebhooks()]);
      return { json: { stopped: true }, lines: [] };
    } finally {
      await unlock().finally(() => served.close());
    }
  },
};

/** @throws UsageError */
function portOf({ text }: Call): number {
  const given = text('port') ?? String(PORT_DEFAULT);
  if (!/^\d{1,5}$/.test(given) || Number(given) > 65_535)
    throw new UsageError(`--port must be a number from 0 to 65535, not ${given}`);
  return Number(given);
}

function stateOf(call: Call, { directory, name }: Served): string {
  const given = call.text('state');
  return given === undefined ? stateFolderOf(call.io, directory, name) : resolve(given);
}

/**
 * Reads the secret and the addresses of the webhooks. `start` begins to deliver.
 * @throws FixpointError CONFIG_INVALID
 */
async function preparedWebhooks(call: Call, { db, feed }: Served, folder: string) {
  const { io } = call;
  const inEnv = (io.env['FIXPOINT_WEBHOOKS'] ?? '').split(/\s+/).filter(Boolean);
  const given = call.texts('webhook').length > 0 ? call.texts('webhook') : inEnv;
  const nothing = async () => undefined;
  if (given.length === 0) return { secretFile: undefined, start: () => nothing, unlock: nothing };
  const secret = await keptSecret(folder, 'webhook-secret', 'whsec_');
  const webhooks = webhooksOf(given, secret.value);
  let isLost = false;
  let stop: () => Promise<void> = nothing;
  const onLost = () => {
    isLost = true;
    io.note('api: another process delivers the webhooks of this folder now, so this one stopped');
    void stop();
  };
  const unlock = await lockFolder(join(folder, 'webhooks'), { onLost });
  const start = () => {
    if (isLost) return nothing;
    stop = startWebhooks(webhooks, {
      feed,
      subscribe: (changed) => db.subscribe(changed),
      positions: filePositions(join(folder, 'webhooks')),
      secret: secret.value,
      fetch: io.fetch,
      now: Date.now,
      random: () => randomInt(2 ** 32) / 2 ** 32,
      sleep: interruptibleSleep,
      note: io.note,
    });
    return stop;
  };
  return { secretFile: secret.file, start, unlock };
}

function interruptibleSleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener('abort', done, { once: true });
  });
}

interface About {
  readonly url: string;
  readonly tokenFile: string | undefined;
  readonly webhookSecretFile: string | undefined;
}

const linesAbout = (name: string, { url, tokenFile, webhookSecretFile }: About): string[] => [
  `Serving ${name} at ${url}`,
  tokenFile === undefined ? 'No token is needed.' : `The token is in ${tokenFile}`,
  ...(webhookSecretFile === undefined ? [] : [`The secret of the webhooks is in ${webhookSecretFile}`]),
];
