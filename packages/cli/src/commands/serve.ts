import { existsSync } from 'node:fs';
import { configFrom, operatorNote, startCloud } from '@fixpoint/cloud';
import type { Command } from '../command.ts';
import { consoleFolder } from '../console-files.ts';

export const serve: Command = {
  usage: ['serve [--port 7370] [--host 127.0.0.1] [--data ./.fixpoint]'],
  options: {
    port: { type: 'string', value: 'PORT', help: 'port of the server; default: $PORT or 7370' },
    host: { type: 'string', value: 'HOST', help: 'address to listen on; default: $HOST or 127.0.0.1' },
    data: {
      type: 'string',
      value: 'FOLDER',
      help: 'folder of the server data; default: $FIXPOINT_DATA or ./.fixpoint',
    },
  },
  takes: { '': 0 },
  run: async ({ io, text, flag }) => {
    const given = { PORT: text('port'), HOST: text('host'), FIXPOINT_DATA: text('data') };
    const set = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
    const folder = consoleFolder();
    // A clone may not be built yet.
    const console = existsSync(folder) ? { CONSOLE_DIR: folder } : {};
    const config = configFrom({ ...console, ...io.env, ...set });
    const cloud = await startCloud(config);
    const url = `${cloud.url}${config.basePath}`;
    const { operatorLink } = cloud;
    io.out(flag('json') ? JSON.stringify({ url, operatorLink }) : `Fixpoint is ready: ${url}`);
    if (operatorLink !== undefined && !flag('json')) io.out(operatorNote(operatorLink));
    await io.ended;
    await cloud.stop();
    return { json: { stopped: true }, lines: [] };
  },
};
