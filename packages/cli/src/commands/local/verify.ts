import type { Verification } from 'fixpoint';
import type { Command } from '../../command.ts';
import { DIRECTORY_OPTIONS, withDatabase } from '../../local-database.ts';

export const verify: Command = {
  usage: ['verify <database> [--directory FOLDER]'],
  options: DIRECTORY_OPTIONS,
  takes: { '': 1 },
  run: async (call) => {
    const found = await withDatabase(call, false, (db) => db.verify());
    const isDamaged = found.damaged.length > 0 || found.missing.length > 0;
    const failed = isDamaged || found.badSignatures.length > 0;
    const counted = `${found.documents} documents, ${found.events} events, ${found.archives} archives, ${found.bytes} bytes`;
    const lines = [
      counted,
      ...found.damaged.map(({ cid, why }) => `damaged: ${cid}: ${why}`),
      ...found.missing.map((cid) => `missing: ${cid}`),
      ...found.signers.map(({ device, events }) => `signed by device ${device}: ${events} events`),
      ...(found.signers.length > 0 ? [`unsigned: ${found.unsigned} events`] : []),
      ...found.unsignedFrom.map(senderText),
      ...found.badSignatures.map((cid) => `changed after signing: event ${cid}`),
      ...found.backDated.map((cid) => `time is earlier than that of a previous event: event ${cid}`),
      failed
        ? `${isDamaged ? 'This database is damaged' : "Some events don't match their signatures"}.`
        : 'No damage found.',
    ];
    return { json: { ok: !failed, ...found }, lines, failed };
  },
};

/** Returns what the gateway claims about events that don't prove their author. */
function senderText({ account, events, firstMs, lastMs }: Verification['unsignedFrom'][number]): string {
  const sender = account === undefined ? 'an unknown account' : `account ${account}`;
  const times = [...new Set([firstMs, lastMs])].map((time) => new Date(time).toISOString()).join(' to ');
  return `unsigned, received by the gateway at ${times} from ${sender}: ${events} events`;
}
