import { hostname } from 'node:os';
import { FixpointError } from '@fixpoint/protocol';
import type { Command } from '../command.ts';
import { adminFor, keepToken, SERVER_OPTIONS, serverOf, unwrap } from '../credentials.ts';

export const login: Command = {
  usage: ['login [--url https://cloud.example]'],
  options: {
    ...SERVER_OPTIONS,
    name: {
      type: 'string',
      value: 'NAME',
      help: 'name of this device in the console; default: "fixpoint on <host name>"',
    },
  },
  takes: { '': 0 },
  run: async (call) => {
    const { io } = call;
    const [server, api] = [serverOf(call), adminFor(call)];
    const started = unwrap(await api.startLogin(call.text('name') ?? `fixpoint on ${hostname()}`));
    io.note(`Open ${started.verificationUrl}`);
    io.note(`If the page shows the code ${started.userCode}, approve it.`);
    for (;;) {
      await io.sleep(started.intervalSec * 1000);
      const polled = await api.pollLogin(started.deviceCode);
      if (!polled.ok && polled.error.code === 'RATE_LIMITED') continue;
      const { status, token } = unwrap(polled);
      if (status === 'pending') continue;
      if (status !== 'approved' || token === undefined)
        throw new FixpointError(
          'NOT_SIGNED_IN',
          status === 'denied'
            ? 'you rejected the code in the console'
            : 'the code expired: run `fixpoint login` again',
        );
      const file = await keepToken(io, server, token);
      return { json: { server, file }, lines: [`Signed in to ${server}.`] };
    }
  },
};
