import { type CheckedObject, type CheckReport, checkServer, configFrom } from '@fixpoint/cloud';
import type { Command } from '../command.ts';

export const check: Command = {
  usage: ['check'],
  options: {
    data: {
      type: 'string',
      value: 'FOLDER',
      help: 'folder of the server data; default: $FIXPOINT_DATA or ./.fixpoint',
    },
  },
  takes: { '': 0 },
  run: async ({ io, text }) => {
    const data = text('data');
    const config = configFrom({ ...io.env, ...(data !== undefined && { FIXPOINT_DATA: data }) });
    const report = await checkServer(config);
    const { tables, missing, damaged, lacksLedgers } = report;
    return {
      json: report,
      lines: linesOf(report),
      failed: lacksLedgers || tables.length + missing.length + damaged.length > 0,
    };
  },
};

function linesOf({
  tables,
  missing,
  damaged,
  orphans,
  rows,
  objects,
  proven,
  unnamed,
  lacksLedgers,
}: CheckReport): string[] {
  return [
    ...tables.map((reason) => `Damaged tables: ${reason}`),
    ...missing.map((object) => `Missing object: ${nameOf(object)}`),
    ...damaged.map((object) => `Damaged object: ${nameOf(object)}`),
    ...orphans.map((place) => `Object of no database: ${place}`),
    ...(lacksLedgers
      ? [
          'The store has objects, but the tables have no databases: check FIXPOINT_DATA, DATABASE_URL and OBJECT_STORE.',
        ]
      : []),
    `${rows} rows, ${objects} objects. The content of ${proven} objects matches their names; ${unnamed} aren't named by a row.`,
  ];
}

const nameOf = ({ tenantId, ledgerId, name }: CheckedObject): string => `${tenantId}/${ledgerId}/${name}`;
