/** Creates mail and the identity providers. */
import { join } from 'node:path';
import { clerkScriptUrl, parsePublishableKey } from '@fixpoint/protocol';
import type { CloudConfig } from './config.ts';
import type { IdentityConfig, OidcConfig } from './config-accounts.ts';
import { builtinIdentity } from './identity/builtin.ts';
import type { Identity } from './identity/identity.ts';
import { clerkIdentity } from './identity/providers/clerk-identity.ts';
import { limitedAccountMailer } from './mail/account-mailer.ts';
import { type Mail, type Mailer, oneLine } from './mail/mailer.ts';
import { outboxMailer } from './mail/outbox.ts';
import { createMailRefusals, type MailRefusals, refusableMailer } from './mail/refusal.ts';
import { smtpMailer } from './mail/smtp.ts';
import type { Ground, Stores } from './start-stores.ts';
import { timestamp } from './tables/new-row.ts';
import { insertFailedMail } from './tables/operators/failed-mails.ts';

export interface Mails {
  readonly mailer: Mailer;
  /** The pages on which receivers refuse further mails. */
  readonly refusals: MailRefusals;
  /** Closes the connection to the mail server. */
  close(): void;
}

/** Creates the mailer: it sends mails to the mail server, or writes files to the data folder. */
export function createMails(ground: Ground, stores: Stores): Mails {
  const { config, data, url, now, log, metrics, report } = ground;
  const count = metrics.counter(
    'fixpoint_mails_total',
    'Mails that the mail server accepted or did not accept',
    ['outcome'],
    [{ outcome: 'sent' }, { outcome: 'failed' }],
  );
  const onMail = (outcome: 'sent' | 'failed') => count({ outcome });
  const onFailure = ({ to, subject }: Mail, cause: unknown) =>
    insertFailedMail(stores.tables.db, {
      receiver: oneLine(to),
      subject: oneLine(subject),
      reason: (cause as Error).message,
      failedAt: timestamp(now()),
    }).catch(report);
  const outbox = outboxMailer(join(data, 'outbox'), now, (mail) =>
    log.info(mail, 'wrote mail to the outbox'),
  );
  const smtp = config.smtp && smtpMailer({ ...config.smtp, fallback: outbox, report, onMail, onFailure });
  const secret = Buffer.from(stores.secrets.objects, 'hex');
  const refusals = createMailRefusals(stores.tables.db, secret, `${url}${config.basePath}`, now);
  return {
    mailer: refusableMailer(smtp ?? outbox, refusals),
    refusals,
    close: () => smtp?.close(),
  };
}

/** Returns the identity provider. The built-in one migrates its tables even if it isn't used. */
export async function createIdentity(
  ground: Ground,
  { secrets, tables }: Stores,
  { mailer }: Pick<Mails, 'mailer'>,
): Promise<Identity> {
  const { config, url, now, note, report } = ground;
  const { basePath, signUp, secondFactor, sessionDaysMax, signOutEnds, identity } = config;
  const { db, kind } = tables;
  const builtin = await tables.alone(() =>
    builtinIdentity({
      db,
      database: kind,
      publicUrl: url,
      secrets: secrets.auth,
      mailer: limitedAccountMailer(db, mailer, now, note),
      basePath,
      signUp,
      secondFactor,
      sessionDaysMax,
      signOutEnds,
      oidc: providerOf(identity),
      hasOwnWays: identity.kind !== 'oidc',
      now,
      note,
      report,
    }),
  );
  if (identity.kind !== 'clerk') return builtin;
  const { issuer, keysUrl, hasOrganizations } = identity;
  const parties = [url, ...(config.allowedOrigins ?? [])];
  return clerkIdentity({ issuer, keysUrl, parties, hasOrganizations, now });
}

/** Returns the OpenID Connect provider, if one is configured. */
function providerOf(identity: IdentityConfig): OidcConfig | undefined {
  if (identity.kind === 'builtin') return identity.beside;
  return identity.kind === 'oidc' ? identity : undefined;
}

/**
 * Returns the origins from which pages load the script of the sign-in provider; none for a provider
 * behind a path of this server.
 */
export function providerOrigins(identity: IdentityConfig): string[] {
  if (identity.kind !== 'clerk') return [];
  const key = parsePublishableKey(identity.publishableKey);
  const script = key && clerkScriptUrl(key, identity.proxyUrl);
  return script === undefined || script.startsWith('/') ? [] : [new URL(script).origin];
}

/** Returns the configuration that the console needs to sign people in. */
export function signInOf({
  identity,
  secondFactor,
  signOutEnds,
}: CloudConfig): Readonly<Record<string, unknown>> {
  const provider = providerOf(identity);
  const named = {
    ...(provider && { provider: { ...(provider.name !== undefined && { name: provider.name }) } }),
    ...(signOutEnds !== 'keep' && { signOutEnds }),
  };
  if (identity.kind === 'builtin') return { kind: identity.kind, passkeys: true, secondFactor, ...named };
  if (identity.kind === 'oidc') return { kind: identity.kind, ...named };
  const { kind, publishableKey, proxyUrl, template } = identity;
  return { kind, publishableKey, template, ...(proxyUrl !== undefined && { proxyUrl }) };
}
