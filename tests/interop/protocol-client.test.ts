/**
 * Tests the gateway with the messages of the existing client, `@fireproof/core-protocols-cloud`
 * 0.24.19 from npm.
 */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { carKey, metaEntry, newLedger, testCloud } from '../../packages/cloud/tests/cloud.fixture.ts';

const script = fileURLToPath(new URL('./protocol-peer.mjs', import.meta.url));
const run = promisify(execFile);

test.each([
  ['over a websocket', ''],
  ['over HTTP only, by polling', '?capabilities=reqRes'],
])(
  '[W1] serves protocol calls and signed URLs, %s: bind, put and get data, put meta, event, delete',
  async (_, query) => {
    const cloud = await testCloud();
    const { tenant, ledger, token } = await newLedger(cloud);
    const bytes = new Uint8Array(Buffer.from('bytes of an archive'));
    const key = carKey(bytes);
    const entry = metaEntry([key]);
    const given = {
      ...{ url: `${cloud.url}/fp${query}`, token, tenant, ledger, entry },
      object: { key, body: Buffer.from(bytes).toString('base64') },
    };
    const { stdout } = await run(process.execPath, [script, JSON.stringify(given)], { timeout: 120_000 });
    const line = stdout.split('\n').find((text) => text.startsWith('[{')) ?? '[]';
    const meta = { metas: [entry], keys: ['zKey'] };
    expect(JSON.parse(line)).toEqual([
      {
        first: { type: 'eventGetMeta', meta: { metas: [], keys: [] } },
        put: 'resPutData',
        uploaded: 200,
        get: 'resGetData',
        same: true,
        meta: { type: 'resPutMeta', meta },
        event: { type: 'eventGetMeta', meta },
        del: 'resDelData',
        // The client expects success, but the gateway keeps the object because an entry refers to
        // it.
        deleted: 204,
        gone: 200,
      },
    ]);
  },
);
