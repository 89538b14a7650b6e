import { describe, expect, test } from 'vitest';
import { newApi } from '../api/api.fixture.ts';
import { UploadWaits } from './upload-waits.ts';

/** A ledger whose uploads the test finishes. */
function newLedger() {
  const rounds: { done: () => void; failed: (cause: unknown) => void }[] = [];
  const synced = () => new Promise<void>((done, failed) => void rounds.push({ done, failed }));
  return { rounds, synced };
}

const never = () => new AbortController().signal;

describe('waiting for uploads', () => {
  test('ends with the first round that began after the write', async () => {
    const ledger = newLedger();
    const waits = new UploadWaits(ledger);
    const ended: string[] = [];
    const first = waits.wait(never()).then(() => ended.push('first'));
    const second = waits.wait(never()).then(() => ended.push('second'));
    expect(ledger.rounds).toHaveLength(1);
    ledger.rounds[0]?.done();
    await first;
    expect(ended).toEqual(['first']);
    await expect.poll(() => ledger.rounds).toHaveLength(2);
    ledger.rounds[1]?.done();
    await second;
    expect(waits.size).toBe(0);
  });

  test('leaves nothing behind when clients go, however many came', async () => {
    const ledger = newLedger();
    const waits = new UploadWaits(ledger);
    for (let n = 0; n < 50; n++) {
      const client = new AbortController();
      const wait = waits.wait(client.signal);
      client.abort(new Error('gone'));
      await expect(wait).rejects.toThrow('gone');
    }
    expect([waits.size, ledger.rounds.length]).toEqual([0, 1]);
    await expect(waits.wait(AbortSignal.abort(new Error('too late')))).rejects.toThrow('too late');
    ledger.rounds[0]?.done();
    const next = waits.wait(never());
    await expect.poll(() => ledger.rounds).toHaveLength(2);
    ledger.rounds[1]?.failed(new Error('refused'));
    await expect(next).rejects.toThrow('refused');
    expect(waits.size).toBe(0);
  });

  test('works over HTTP: answers after the upload, reports failures, and ends with the client and the server', async () => {
    const ledger = newLedger();
    const status = () => ({ state: 'offline', toSend: 2, toFetch: 0 });
    const attached = { ...ledger, status } as never;
    const { send, api, db, json } = await newApi({ attached });
    expect(await json('GET', '/health')).toEqual({ status: 'ok', sync: status() });
    const saved = send('PUT', '/documents/a?wait=cloud', { n: 1 });
    await expect.poll(() => ledger.rounds).toHaveLength(1);
    ledger.rounds[0]?.done();
    expect((await saved).status).toBe(200);
    const failing = send('DELETE', '/documents/a?wait=cloud');
    await expect.poll(() => ledger.rounds).toHaveLength(2);
    ledger.rounds[1]?.failed(new Error('refused'));
    expect((await failing).status).toBe(503);
    await expect(db.get('a')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    const client = new AbortController();
    const left = fetch(`${api.url}/documents?wait=cloud`, {
      method: 'POST',
      body: '{}',
      headers: { authorization: 'Bearer a-token-of-at-least-22-letters', 'content-type': 'application/json' },
      signal: client.signal,
    });
    await expect.poll(() => api.pending().uploads).toBe(1);
    client.abort();
    await expect(left).rejects.toThrow();
    await expect.poll(() => api.pending().uploads).toBe(0);
    const stopped = send('POST', '/documents?wait=cloud', {});
    await expect.poll(() => api.pending().uploads).toBe(1);
    await api.close();
    expect((await stopped).status).toBe(503);
  });
});
