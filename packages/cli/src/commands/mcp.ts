import { type Command, UsageError } from '../command.ts';
import { serveMcp } from '../mcp/mcp-server.ts';
import { openServed, SERVED_OPTIONS } from '../served/open-served.ts';
import { operationsOn } from '../served/operations.ts';
import { versionOfPackage } from '../served/package-version.ts';

export const mcp: Command = {
  usage: [
    'mcp <database> [--write] [--directory FOLDER]',
    'mcp [<database>] --ledger ID [--tenant ID] [--kind sealed|open-key] [--url URL] [--write]',
  ],
  options: {
    write: { type: 'boolean', help: 'also offer tools that write and delete documents' },
    ...SERVED_OPTIONS,
  },
  takes: { '': 1 },
  run: async (call) => {
    const { io, flag } = call;
    // Standard output carries only messages of the protocol.
    if (flag('json')) throw new UsageError('mcp has no --json');
    const served = await openServed(call);
    const input = io.input();
    try {
      const serving = serveMcp({
        operations: operationsOn(served.db, served.feed),
        mayWrite: flag('write'),
        version: versionOfPackage(),
        input,
        write: io.out,
        report: (cause) => io.note(`mcp: ${(cause as Error).stack ?? String(cause)}`),
      });
      await Promise.race([serving, io.ended]);
      return { json: undefined, lines: [] };
    } finally {
      // A pending read would keep the process alive.
      input.destroy?.();
      await served.close();
    }
  },
};
