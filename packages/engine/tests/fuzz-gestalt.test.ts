/**
 * Sends hostile answers to the first request of a client, which asks a gateway for its capabilities
 * and endpoints.
 */
import './loaded-ahead.fixture.ts';
import { isFixpointError } from '@fixpoint/protocol';
import { serverGestalt } from '@fixpoint/protocol/storage';
import { expect, test } from 'vitest';
import { utf8 } from '../src/base/bytes.ts';
import { memoryPlatform } from '../src/platform/memory-platform.ts';
import { nodePlatform } from '../src/platform/node/node-platform.ts';
import type { Network } from '../src/ports/network.ts';
import { asFailure } from '../src/sync/failures.ts';
import { connect } from '../src/sync/transport/connect.ts';
import { openHttp } from '../src/sync/transport/polling.ts';
import { tokenSource } from '../src/sync/transport/token-source.ts';
import { seededRandom } from '../src/testing/seeded-random.ts';
import { budget, patienceMs, processorMs, seed } from './budget.fixture.ts';
import { mutate } from './mutate.fixture.ts';

const RUNS = budget({ commit: 100_000, night: 1_000_000, release: 10_000_000 });
const SLOW_MS = 1000;

const ENDPOINTS = [
  '/under/a/path',
  'path',
  '',
  'wss://one.test/ws',
  'https://one.test:8443/fp?x=y#z',
  'ws://[::1]:80/ws',
  '//two.test/ws',
  'javascript:alert(1)',
  'file:///etc/passwd',
  'data:application/json,{}',
  'https://user:secret@one.test/fp',
];

test('[R20] connects to the announced address or immediately fails with a typed error, whatever a gateway announces', {
  timeout: patienceMs(),
}, async () => {
  const random = seededRandom(seed());
  let answer: Uint8Array = new Uint8Array();
  let asked: { readonly how: 'request' | 'connect'; readonly url: string }[] = [];
  const network: Network = {
    request: async ({ url }) => {
      asked.push({ how: 'request', url });
      if (asked.length === 1) return { status: 200, body: answer };
      throw new Error('nobody is there');
    },
    connect: async (url) => {
      asked.push({ how: 'connect', url });
      throw new Error('nobody is there');
    },
  };
  const platform = { ...memoryPlatform(nodePlatform('unused')), network };
  const target = {
    gateway: new URL('https://gateway.test/fp'),
    tenant: 't',
    ledger: 'l',
    name: 'n',
    tokens: tokenSource('token', platform.time),
  };
  const events = { metas: () => undefined, closed: () => undefined };
  const loadPolling = async () => ({ openHttp });
  const of = <T>(list: readonly T[]): T => list[random.below(list.length)] as T;
  const oddText = () => Buffer.from(mutate(utf8(of(ENDPOINTS)), random)).toString('utf8');
  const several = () => Array.from({ length: random.below(3) }, () => of([of(ENDPOINTS), oddText()]));
  const seen = new Map<string, number>();
  for (let run = 0; run < RUNS; run += 1) {
    const offered = of([['reqRes'], ['stream'], ['reqRes', 'stream'], [], [oddText()]]);
    const gestalt = serverGestalt({ http: several(), socket: several() }, offered);
    const text = utf8(JSON.stringify({ type: 'resGestalt', tid: 'z', gestalt }));
    answer = random.below(3) === 0 ? mutate(text, random) : text;
    asked = [];
    const start = processorMs();
    const failure = await connect(platform, target, loadPolling, { reqId: 'r' }, events).then(
      () => 'no failure',
      asFailure,
    );
    const where = Buffer.from(answer).toString('base64');
    if (!isFixpointError(failure)) throw new Error(`connected by ${where}`);
    if (processorMs() - start > SLOW_MS) throw new Error(`hangs: ${where}`);
    // A client never opens a socket at an http address. The platform rejects other schemes.
    const odd = asked.find(({ how, url }) => how === 'connect' && /^https?:/.test(url));
    if (odd !== undefined) throw new Error(`${odd.url} by ${where}`);
    const end = asked[1]?.how ?? failure.code;
    seen.set(end, (seen.get(end) ?? 0) + 1);
  }
  // The test would prove little if the inputs caused one of the outcomes rarely.
  for (const end of ['request', 'connect', 'DECODE', 'NOT_GESTALT'])
    expect(seen.get(end) ?? 0).toBeGreaterThan(RUNS / 1000);
});
