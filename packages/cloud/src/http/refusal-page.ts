/**
 * The page on which people refuse further mail without signing in. Mail programs prefetch links, so
 * only a POST request changes anything.
 */
import type { HttpBindings } from '@hono/node-server';
import type { Context, Hono } from 'hono';
import { type MailRefusals, REFUSAL_PATH } from '../mail/refusal.ts';

type Env = { Bindings: HttpBindings };

export function routeRefusals(app: Hono<Env>, refusals: MailRefusals): void {
  app.get(`${REFUSAL_PATH}:token`, async (c) => {
    const mailbox = refusals.read(c.req.param('token'));
    if (mailbox === undefined) return unknownLink(c);
    return c.html(page(mailbox, await refusals.isRefused(mailbox)));
  });
  // Mail programs also send this request, because of the header `List-Unsubscribe-Post` (RFC 8058).
  app.post(`${REFUSAL_PATH}:token`, async (c) => {
    const mailbox = refusals.read(c.req.param('token'));
    if (mailbox === undefined) return unknownLink(c);
    const isRefused = c.req.query('mail') !== 'allow';
    await refusals.set(mailbox, isRefused);
    return c.html(page(mailbox, isRefused));
  });
}

const unknownLink = (c: Context) =>
  c.html(whole('Unknown link', '<p>This link is incomplete. Copy the whole link from the mail.</p>'), 404);

const page = (mailbox: string, isRefused: boolean): string =>
  isRefused
    ? whole(
        'Mail is stopped',
        `<p>This server sends no more mail to ${escaped(mailbox)}. If you have an account with this address, sign-in links and password resets still arrive.</p>
<form method="post" action="?mail=allow"><button>Allow mail again</button></form>`,
      )
    : whole(
        'Stop mail from this server?',
        `<p>Invitations and other mail to ${escaped(mailbox)} stop. If you have an account with this address, sign-in links and password resets still arrive.</p>
<form method="post" action="?mail=stop"><button>Stop mail</button></form>`,
      );

const whole = (title: string, body: string): string => `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="robots" content="noindex"><title>${title}</title></head>
<body><main><h1>${title}</h1>
${body}
</main></body>
</html>
`;

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
const escaped = (text: string) => text.replace(/[&<>"']/g, (found) => ESCAPES[found] ?? found);
