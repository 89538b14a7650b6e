import { beforeEach, describe, expect, test, vi } from 'vitest';
import { HOSTILE_NAMES } from '../values/hostile-names.fixture.ts';
import {
  endpointAt,
  endpointHere,
  isReadable,
  ledgerIn,
  obstacleTo,
  placeIn,
  readEndpoint,
  serverName,
} from './endpoint.ts';

const page = { host: 'cloud.example', protocol: 'https:' };
const PLACE = { tenantId: 'zT', ledgerId: 'zL' };

describe('an endpoint', () => {
  test.each([
    ['https:', 'cloud.example', 'fpcloud://cloud.example/?tenant=zT&ledger=zL'],
    ['http:', 'localhost:7370', 'fpcloud://localhost:7370/?protocol=ws&tenant=zT&ledger=zL'],
  ])('names the tenant and the ledger of this server at %s//%s', (protocol, host, text) => {
    expect(endpointHere(PLACE, { protocol, host })).toBe(text);
    const server = `${protocol}//${host}`;
    expect(readEndpoint(text, { host })).toEqual({ host, server, isHere: true, place: PLACE });
  });

  test.each([
    ['fpcloud://cloud.example', { host: 'cloud.example', isHere: true, place: undefined }],
    ['wss://cloud.example:443/', { host: 'cloud.example', isHere: true, place: undefined }],
    ['fpcloud://host', { host: 'host', isHere: false, place: undefined }],
    ['https://other.example/fp?tenant=zT&ledger=zL', { host: 'other.example', isHere: false, place: PLACE }],
    ['fpcloud://cloud.example:8080', { host: 'cloud.example:8080', isHere: false, place: undefined }],
  ])('reads %s', (text, endpoint) => {
    expect(readEndpoint(text, page)).toEqual({ ...endpoint, server: `https://${endpoint.host}` });
  });

  test.each([
    ['http://localhost:7370', 'http://localhost:7370'],
    ['ws://other.example:80/fp/', 'http://other.example'],
    ['fpcloud://other.example?protocol=ws', 'http://other.example'],
    ['fpcloud://other.example/fixpoint/fp?tenant=zT&ledger=zL', 'https://other.example/fixpoint'],
    ['https://other.example/fixpoint/', 'https://other.example/fixpoint'],
    ['https://other.example/xfp', 'https://other.example/xfp'],
    ['https://other.example/fp/', 'https://other.example'],
  ])('tells the address of the pages of %s', (text, server) => {
    expect(readEndpoint(text, page)).toMatchObject({ server });
  });

  test.each(['https://other.example', 'http://localhost:7370', 'https://other.example/fix/point'])(
    'names a ledger of %s',
    (server) => {
      expect(ledgerIn(endpointAt(server, PLACE))).toEqual({ ...PLACE, server, isHere: false });
    },
  );

  test('accepts port 80 as the page’s own only without TLS', () => {
    expect(readEndpoint('fpcloud://h:80/?protocol=ws', { host: 'h' })).toMatchObject({ isHere: true });
    expect(readEndpoint('fpcloud://h:80', { host: 'h' })).toMatchObject({ isHere: false });
  });

  test.each([
    ['nonsense', /isn’t the address of a server/],
    ['javascript://h', /isn’t the address of a server/],
    ['fpcloud://', /isn’t the address of a server/],
    ['fpcloud://user:secret@h', /password, a token/],
    ['fpcloud://h?authJWK=t', /password, a token or an unknown part/],
    ['fpcloud://h?authjwk=t', /unknown part/],
    ['fpcloud://h?token=t', /unknown part/],
    ['fpcloud://h#authJWK=t', /unknown part/],
    ['fpcloud://h?protocol=ftp', /unknown protocol "ftp"/],
    ['fpcloud://h?tenant=zT', /both a tenant and a ledger/],
    ['fpcloud://h?ledger=zL', /both a tenant and a ledger/],
  ])('rejects %s', (text, problem) => {
    expect(readEndpoint(text, page)).toEqual({ problem: expect.stringMatching(problem) });
  });
});

describe('an endpoint of a server below a path', () => {
  beforeEach(() => void vi.stubGlobal('document', { documentElement: { dataset: { base: '/fixpoint' } } }));

  test('names the gateway below the path', () => {
    const text = 'fpcloud://cloud.example/fixpoint/fp?tenant=zT&ledger=zL';
    expect(endpointHere(PLACE, page)).toBe(text);
    const server = 'https://cloud.example/fixpoint';
    expect(readEndpoint(text, page)).toEqual({ host: 'cloud.example', server, isHere: true, place: PLACE });
    expect(readEndpoint('https://cloud.example/fixpoint', page)).toMatchObject({ isHere: true });
  });

  test.each([
    'fpcloud://cloud.example',
    'fpcloud://cloud.example/fp',
    'fpcloud://cloud.example/fixpointed/fp',
  ])('belongs to another server of the host if it is %s', (text) =>
    expect(readEndpoint(text, page)).toMatchObject({ isHere: false }),
  );
});

test('shows the address of a server with its path, and http:// as a warning', () => {
  expect([serverName('https://h/x'), serverName('http://h:80')]).toEqual(['h/x', 'http://h:80']);
  const local = [
    'http://localhost:7370',
    'http://notes.localhost',
    'http://127.0.0.1:1',
    'http://[::1]',
    'https://other.example',
  ];
  expect(local.filter(isReadable)).toEqual([]);
  const open = [
    'http://other.example',
    'http://localhost.evil',
    'http://127.0.0.1.evil/x',
    'http://192.168.1.2:7370',
  ];
  expect(open.map(isReadable)).toEqual([true, true, true, true]);
});

describe('an obstacle to a connection', () => {
  test('reports an http address, which browsers block on pages with https', () => {
    const found = obstacleTo('http://other.example:7370', page);
    expect(found).toMatch(/^This page was loaded over https, so the browser blocks .* http:/);
    expect(found).toContain('Ask the operator of other.example:7370 for an https:// address');
    const plain = { ...page, protocol: 'http:' };
    expect(obstacleTo('http://other.example:7370', plain)).toBeUndefined();
  });

  test.each(['http://localhost:7370', 'http://127.0.0.1:7370', 'https://other.example/a'])(
    'doesn’t report %s',
    (server) => expect(obstacleTo(server, page)).toBeUndefined(),
  );

  test('reports a server of this console’s origin, because the browser’s storage is shared', () => {
    const found = obstacleTo('https://cloud.example/b', page);
    expect(found).toMatch(
      /^cloud\.example\/b and this console have the same origin, https:\/\/cloud\.example/,
    );
    expect(found).toContain('another host name or port');
    // Another port is another origin.
    expect(obstacleTo('https://cloud.example:8443/b', page)).toBeUndefined();
  });
});

describe('the ledger that an endpoint names', () => {
  beforeEach(() => void vi.stubGlobal('location', page));

  test.each([
    ['', 'no endpoint'],
    ['nonsense', 'no address'],
    ['fpcloud://cloud.example', 'no ledger'],
    ['fpcloud://cloud.example/?tenant=zT', 'half a place'],
    ['fpcloud://other.example/?tenant=zT&ledger=zL', 'another server'],
    ['fpcloud://cloud.example.evil/?tenant=zT&ledger=zL', 'a server with a similar name'],
    ['fpcloud://cloud.example@evil/?tenant=zT&ledger=zL', 'a server that looks like this one'],
    ['fpcloud://cloud.example/?tenant=zT&ledger=zL&token=x', 'a token'],
  ])('is never this server’s for %j: %s', (endpoint) => {
    expect(placeIn(endpoint)).toBeUndefined();
  });

  test('is the one that the endpoint of this page names', () => {
    expect(placeIn(endpointHere(PLACE))).toEqual(PLACE);
    expect(placeIn('FPCLOUD://CLOUD.EXAMPLE/?tenant=zT&ledger=zL')).toEqual(PLACE);
  });

  test.each(HOSTILE_NAMES.filter((name) => name !== '').map((name) => [name.slice(0, 20), name]))(
    'keeps the id %j unchanged',
    (_shown, id) => {
      const place = { tenantId: id, ledgerId: id };
      expect(placeIn(endpointHere(place))).toEqual(place);
    },
  );
});
