/** A registry of packages for `npm`, as after a release: our packed packages, and all others. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Registry {
  readonly url: string;
  close(): void;
}

/** @param archives the paths of the archives by the names of the packages */
export async function registryOf(archives: Readonly<Record<string, string>>): Promise<Registry> {
  const upstream = execFileSync('npm', ['config', 'get', 'registry'], { encoding: 'utf8' }).trim();
  const server = createServer((request, response) => {
    const name = decodeURIComponent((request.url ?? '/').slice(1));
    if (name.startsWith('archive/')) {
      response.end(readFileSync(archives[name.slice('archive/'.length)] ?? ''));
    } else if (archives[name] === undefined) {
      response.writeHead(302, { location: new URL(request.url?.slice(1) ?? '', upstream).href }).end();
    } else response.end(JSON.stringify(described(name, archives[name])));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;

  /** Returns what npm wants to know about a package with one version. */
  function described(name: string, archive: string) {
    const text = execFileSync('tar', ['-xzOf', archive, 'package/package.json'], { encoding: 'utf8' });
    const manifest = JSON.parse(text) as { readonly version: string };
    const integrity = `sha512-${createHash('sha512').update(readFileSync(archive)).digest('base64')}`;
    const dist = { tarball: `${url}archive/${encodeURIComponent(name)}`, integrity };
    return {
      name,
      'dist-tags': { latest: manifest.version },
      versions: { [manifest.version]: { ...manifest, dist } },
    };
  }
  return { url, close: () => void server.close() };
}
