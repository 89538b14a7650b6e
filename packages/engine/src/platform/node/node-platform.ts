import { join } from 'node:path';
import type { Channel } from '../../ports/channel.ts';
import type { Platform } from '../../ports/platform.ts';
import type { PlainSocket } from '../fetch-network.ts';
import { reportToConsole } from '../report.ts';
import { restingTime } from '../resting-time.ts';
import { systemRandom, systemTime } from '../system.ts';
import { existingNodeStore, existingNodeTarget } from './existing-files.ts';
import { fileKeyBag } from './file-key-bag.ts';
import { fileLeases } from './file-lease.ts';
import { fileNameOf } from './file-name.ts';
import { destroyFolder } from './log/log-folder.ts';
import { nodeFiles } from './node-files.ts';
import { nodeNetwork } from './node-network.ts';
import { openNodeStore } from './node-store.ts';

/**
 * Implements the platform of Node: a folder for databases, with a subfolder for keys. Several
 * processes may open a database at the same time.
 */
export function nodePlatform(directory: string): Platform {
  return {
    openStore: (name, durability) =>
      openNodeStore(join(directory, fileNameOf(name)), durability, nodeFiles, restingTime, reportToConsole),
    destroyStore: (name) => destroyFolder(join(directory, fileNameOf(name)), nodeFiles),
    existingStore: (name, place) => existingNodeStore(name, place, directory),
    existingTarget: (name, place) => existingNodeTarget(name, place, directory),
    keyBag: fileKeyBag(join(directory, '.keys')),
    time: systemTime,
    random: systemRandom,
    network: nodeNetwork(openSocket),
    channel: () => silentChannel,
    leases: fileLeases(directory, restingTime, reportToConsole),
    report: reportToConsole,
    storageUrl: ledgerUrl(process.env['FP_STORAGE_URL']),
  };
}

/**
 * Ignores URLs and paths of folders with local databases, because the same environment variable is
 * used for both.
 */
const ledgerUrl = (url: string | undefined): string | undefined =>
  url !== undefined && /^(?!file:|memory:|indexeddb:)[a-z][a-z\d+.-]+:/i.test(url) ? url : undefined;

/** A channel that does nothing: the store itself notices writes of other processes. */
const silentChannel: Channel = {
  post: () => undefined,
  onHint: () => () => undefined,
  close: () => undefined,
};

async function openSocket(url: string): Promise<PlainSocket> {
  const { WebSocket } = await import('ws');
  return new WebSocket(url, { perMessageDeflate: false }) as unknown as PlainSocket;
}
