import { urlOf } from '@fixpoint/protocol';
import { type Call, type Command, required, UsageError } from '../command.ts';
import { consoleFolder, hashesBelow, hashOfAll, pageAsBuilt, sha256Of } from '../console-files.ts';
import { unreachable } from '../credentials.ts';

const PAGE = '/index.html';
/** Number of files that are requested at the same time. */
const AT_ONCE = 8;

export const checkConsole: Command = {
  usage: ['check-console <url>'],
  options: {},
  takes: { '': 1 },
  run: async (call) => {
    const { origin, basePath } = serverAt(required(call.args[0], 'the address of the server'));
    const hashes = hashesBelow(consoleFolder());
    const waiting = [...hashes];
    const differing: string[] = [];
    const work = async () => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
        const [path, hash] = next;
        if ((await hashAt(call, origin, basePath, path)) !== hash) differing.push(path);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    const sha256 = hashOfAll(hashes);
    const differs = differing.sort();
    const failed = differs.length > 0;
    return {
      json: { files: hashes.size, sha256, differs },
      lines: [
        ...differs.map((path) => `differs  ${path}`),
        failed
          ? `${differs.length} of ${hashes.size} files differ from those of this version, or are missing.`
          : `All ${hashes.size} files are those of this version.`,
        `sha256 of this version: ${sha256}`,
      ],
      failed,
    };
  },
};

function serverAt(text: string): { readonly origin: string; readonly basePath: string } {
  const url = urlOf(text);
  if (url === undefined || !/^https?:$/.test(url.protocol))
    throw new UsageError(`${text} isn't the address of a server, such as https://fixpoint.example`);
  return { origin: url.origin, basePath: url.pathname.replace(/\/+$/, '') };
}

/** Returns the hash of a served file; undefined if the server doesn't serve it. */
async function hashAt(
  { io }: Pick<Call, 'io'>,
  origin: string,
  basePath: string,
  path: string,
): Promise<string | undefined> {
  // Pages get this file at all their addresses.
  const address = `${origin}${basePath}${path === PAGE ? '/login' : path}`;
  try {
    const answer = await io.fetch(address);
    if (!answer.ok) return undefined;
    if (path === PAGE) return sha256Of(pageAsBuilt(await answer.text(), basePath));
    return sha256Of(new Uint8Array(await answer.arrayBuffer()));
  } catch (cause) {
    throw unreachable(origin, cause);
  }
}
