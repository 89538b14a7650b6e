/**
 * The page on which people refuse further mail without signing in. Mail programs prefetch links, so
 * only a POST request changes anything.
 */
import { createHash } from 'node:crypto';
import type { HttpBindings } from '@hono/node-server';
import type { Context, Hono } from 'hono';
import { type MailRefusals, REFUSAL_PATH } from '../mail/refusal.ts';

type Env = { Bindings: HttpBindings };

export function routeRefusals(app: Hono<Env>, refusals: MailRefusals): void {
  app.get(`${REFUSAL_PATH}:token`, async (c) => {
    const mailbox = refusals.read(c.req.param('token'));
    if (mailbox === undefined) return unknownLink(c);
    return answer(c, page(mailbox, await refusals.isRefused(mailbox)));
  });
  // Mail programs also send this request, because of the header `List-Unsubscribe-Post` (RFC 8058).
  app.post(`${REFUSAL_PATH}:token`, async (c) => {
    const mailbox = refusals.read(c.req.param('token'));
    if (mailbox === undefined) return unknownLink(c);
    const isRefused = c.req.query('mail') !== 'allow';
    await refusals.set(mailbox, isRefused);
    return answer(c, page(mailbox, isRefused));
  });
}

/**
 * The console's look, without its files: the page must work on servers whose console is elsewhere.
 * The colours are those of the console's `tokens.css`.
 */
const STYLE = `
:root { color-scheme: light dark; --bg: #f5f7f6; --surface: #fff; --line: #e4e9e7; --ink: #101817; --ink-2: #44504d; --accent: #0f766e; --on: #fff; }
@media (prefers-color-scheme: dark) { :root { --bg: #0a0e0d; --surface: #101615; --line: #202927; --ink-2: #afbab7; --ink: #e9efed; --accent: #12837a; } }
body { margin: 0; padding: 12vh 1rem 2rem; background: var(--bg); color: var(--ink); font: 0.875rem/1.5 ui-sans-serif, system-ui, sans-serif; }
main { max-width: 26rem; margin: auto; padding: 1.5rem; border: 1px solid var(--line); border-radius: 0.75rem; background: var(--surface); }
h1 { margin: 0 0 0.5rem; font-size: 1.25rem; line-height: 1.4; letter-spacing: -0.022em; }
p { margin: 0; color: var(--ink-2); overflow-wrap: anywhere; }
form { margin: 1.25rem 0 0; }
button { min-height: 2.5rem; padding: 0 1rem; border: 0; border-radius: 0.5rem; background: var(--accent); color: var(--on); font: inherit; font-weight: 500; cursor: pointer; }
button:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
`;
const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64');

/** Answers with a page. Its policy allows the style of the page, and nothing else. */
function answer(c: Context, html: string, status: 200 | 404 = 200) {
  c.header(
    'content-security-policy',
    `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; form-action 'self'; object-src 'none'; base-uri 'none'; frame-ancestors 'none'`,
  );
  return c.html(html, status);
}

const unknownLink = (c: Context) =>
  answer(c, whole('Unknown link', '<p>This link is incomplete. Copy the whole link from the mail.</p>'), 404);

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
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="robots" content="noindex"><title>${title} · Fixpoint</title><style>${STYLE}</style></head>
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
