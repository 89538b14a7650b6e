/**
 * A worker whose engine stores databases in OPFS. Named `#moves`, it moves databases from IndexedDB
 * to OPFS. Named `#plain`, it uses IndexedDB.
 */
import { fixpoint } from 'fixpoint';
import { opfsStore } from 'fixpoint/opfs';
import { type BridgePort, serveEngine } from 'fixpoint/worker';
import { sha256 } from '../../packages/engine/src/codec/sha256.ts';
import { browserPlatform } from '../../packages/engine/src/platform/browser/browser-platform.ts';
import { opfsOpener } from '../../packages/engine/src/platform/opfs/opfs-store.ts';
import { systemRandom, systemTime } from '../../packages/engine/src/platform/system.ts';

const moving = () =>
  opfsOpener({ sha256, random: systemRandom, time: systemTime, migrates: true, report: console.error });

function optionsNamed(name: string) {
  if (name === '#plain') return {};
  return { store: name === '#moves' ? { platform: browserPlatform(moving()) } : opfsStore() };
}

const store = optionsNamed(self.name);
serveEngine(self as BridgePort, (name, options) => fixpoint(name, { ...options, ...store }));
