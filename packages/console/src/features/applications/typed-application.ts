/** Converts what people type about an application to what the server expects, and back. */
import type { FixpointError } from '@fixpoint/protocol';
import type { Application, ApplicationIssuer } from '@fixpoint/protocol/admin';
import { failureText } from '../../ui/text/failure-text.ts';

export interface TypedApplication {
  readonly name: string;
  /** One per line. */
  readonly origins: string;
  /** One per line. */
  readonly redirectUrls: string;
  /** Empty for an application whose users sign in at this server, like the next two. */
  readonly issuer: string;
  readonly jwksUrl: string;
  readonly audience: string;
}

export type TypedField = keyof TypedApplication;

export interface ApplicationSettings extends Pick<Application, 'name' | 'origins' | 'redirectUrls'> {
  /** Null for an application whose users sign in at this server. */
  readonly issuer: ApplicationIssuer | null;
}

const NO_ISSUER = { issuer: '', jwksUrl: '', audience: '' };
export const NOTHING_TYPED: TypedApplication = { name: '', origins: '', redirectUrls: '', ...NO_ISSUER };

export const typedFrom = ({ name, origins, redirectUrls, issuer }: Application): TypedApplication => ({
  name,
  origins: origins.join('\n'),
  redirectUrls: redirectUrls.join('\n'),
  ...NO_ISSUER,
  ...issuer,
});

/**
 * Returns the settings, without empty and repeated lines. People paste addresses with a slash at
 * the end as origins, so this slash is removed. Without redirect URLs, people return to the start
 * page of the origin where they signed in.
 */
export function settingsOf(typed: TypedApplication): ApplicationSettings {
  const origins = linesOf(typed.origins).map((line) => line.replace(/^([a-z]+:\/\/[^/]+)\/$/i, '$1'));
  const redirectUrls = linesOf(typed.redirectUrls);
  const [issuer, jwksUrl, audience] = [typed.issuer.trim(), typed.jwksUrl.trim(), typed.audience.trim()];
  return {
    name: typed.name.trim(),
    origins: [...new Set(origins)],
    redirectUrls: redirectUrls.length > 0 ? redirectUrls : [...new Set(origins)].map((each) => `${each}/`),
    issuer: `${issuer}${jwksUrl}${audience}` === '' ? null : { issuer, jwksUrl, audience },
  };
}

const linesOf = (text: string): string[] => [
  ...new Set(
    text
      .split(/[\s,]+/)
      .map((line) => line.trim())
      .filter((line) => line !== ''),
  ),
];

export interface Problem {
  /** Undefined if the problem doesn't belong to a field. */
  readonly field?: TypedField;
  readonly text: string;
}

/** Returns the first required field that is empty, as a problem. */
export function missingIn({ name, origins, issuer }: ApplicationSettings): Problem | undefined {
  if (name === '') return { field: 'name', text: 'Name is required' };
  if (origins.length === 0) return { field: 'origins', text: 'Enter at least one origin.' };
  if (issuer === null) return undefined;
  for (const field of ['issuer', 'jwksUrl', 'audience'] as const)
    if (issuer[field] === '') return { field, text: `${LABELS[field]} is required` };
  return undefined;
}

const LABELS: Readonly<Record<TypedField, string>> = {
  name: 'The name',
  origins: 'Each origin',
  redirectUrls: 'Each redirect URL',
  issuer: 'Issuer',
  jwksUrl: 'Address of the keys',
  audience: 'Audience',
};

/**
 * Returns the field that the server rejected, and why. For an item of a list, the text names the
 * item.
 */
export function problemOf(error: FixpointError, sent: ApplicationSettings): Problem {
  const text = failureText(error);
  const found =
    /\b(?:issuer\.)?(name|origins|redirectUrls|issuer|jwksUrl|audience)(?:\.(\d+))? (must .*|is required)$/.exec(
      text,
    );
  if (found === null) return { text };
  const [, path, at, why = ''] = found;
  const field = path as TypedField;
  const isList = field === 'origins' || field === 'redirectUrls';
  const item = at === undefined || !isList ? undefined : sent[field][Number(at)];
  return { field, text: `${item ?? LABELS[field]} ${why}.` };
}
