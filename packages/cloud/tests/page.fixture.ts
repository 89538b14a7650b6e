/**
 * Simulates a page of the console that signs people in. The page keeps cookies and sends its
 * origin.
 */
import { createHmac } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, vi } from 'vitest';

// biome-ignore lint/suspicious/noExplicitAny: tests check the fields that they read
type Answer = any;

export interface Reply {
  readonly status: number;
  readonly body: Answer;
  readonly headers: Headers;
}

export const PASSWORD = 'a long password';
/** Work that continues after an answer can take long on a busy machine. */
export const PATIENCE = { timeout: 60_000 };

export function newPage(url: string) {
  const cookies = new Map<string, string>();
  const send = async (method: string, path: string, body?: object): Promise<Reply> => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(new URL(path, url), {
      method,
      redirect: 'manual',
      headers: {
        origin: url,
        ...(cookie && { cookie }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (value === '' || /max-age=0/i.test(line)) cookies.delete(name);
      else cookies.set(name, value);
    }
    const text = await response.text();
    const isJson = (response.headers.get('content-type') ?? '').startsWith('application/json');
    return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text };
  };
  const page = {
    cookies,
    get: (path: string) => send('GET', path),
    post: (path: string, body: object = {}) => send('POST', path, body),
    signIn: (email: string, password = PASSWORD) => send('POST', '/auth/sign-in/email', { email, password }),
    /** Returns the identity token; undefined when the server gives none. */
    token: async (): Promise<string | undefined> => (await page.get('/auth/token')).body.token,
  };
  return page;
}

export type Page = ReturnType<typeof newPage>;

/** Signs up a user and verifies their address. */
export async function verifiedPage(
  { url, data }: { readonly url: string; readonly data: string },
  name = 'ada',
): Promise<Page & { readonly email: string }> {
  const page = newPage(url);
  const email = `${name}@example.com`;
  const { status } = await page.post('/auth/sign-up/email', { email, password: PASSWORD, name });
  expect(status).toBe(200);
  await page.get(await mailedLink(data, 'Verify your email address', email));
  return { ...page, email };
}

/** Returns the link in the newest mail with this subject, to anybody or to one address. */
export async function mailedLink(data: string, subject: string, to = ''): Promise<string> {
  return vi.waitFor(async () => {
    const outbox = join(data, 'outbox');
    const mails = await Promise.all(
      (await readdir(outbox)).sort().map((file) => readFile(join(outbox, file), 'utf8')),
    );
    const mail = mails
      .filter((text) => text.includes(`Subject: ${subject}`) && text.includes(`To: ${to}`))
      .at(-1);
    const [link] = /^http\S+$/m.exec(mail ?? '') ?? [];
    if (link === undefined) throw new Error(`no mail: ${subject}`);
    return link;
  }, PATIENCE);
}

/** Returns the code that an authenticator app shows for this `otpauth:` URI (RFC 6238). */
export function codeFor(totpUri: string, atMs: number): string {
  const secret = new URL(totpUri).searchParams.get('secret') ?? '';
  const bits = [...secret.replace(/=+$/, '')]
    .map((letter) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(letter).toString(2).padStart(5, '0'))
    .join('');
  const key = Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(atMs / 30_000)));
  const digest = createHmac('sha1', key).update(counter).digest();
  const at = (digest.at(-1) ?? 0) & 15;
  return String((digest.readUInt32BE(at) & 0x7fffffff) % 1_000_000).padStart(6, '0');
}
