/** Reads the organisation of a sign-in from the provider's token. */
import { visibleName } from '@fixpoint/protocol';

export interface Organization {
  /** The provider's id of the organisation. */
  readonly id: string;
  readonly name?: string;
  readonly role: 'admin' | 'member';
}

const ADMINS = ['admin', 'org:admin', 'owner'];
const NAME_CHARS_MAX = 200;

/**
 * Reads the claims `org_id`, `org_name` or `org_slug`, and `org_role`, or Clerk's short form `o:
 * {id, slg, rol}`. Returns undefined for people who act for themselves.
 */
export function readOrganization(claims: Readonly<Record<string, unknown>>): Organization | undefined {
  const { o } = claims;
  const short = (typeof o === 'object' && o !== null ? o : {}) as Record<string, unknown>;
  const id = textOf(claims['org_id'] ?? short['id']);
  if (id === undefined || id.length > NAME_CHARS_MAX) return undefined;
  const name =
    visibleName(textOf(claims['org_name'] ?? claims['org_slug'] ?? short['slg']) ?? '') || undefined;
  const role = textOf(claims['org_role'] ?? short['rol']);
  return {
    id,
    ...(name !== undefined && { name }),
    role: role !== undefined && ADMINS.includes(role) ? 'admin' : 'member',
  };
}

function textOf(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  const text = value.replace(/[\p{Cc}\p{Cs}]/gu, '').trim();
  return text === '' ? undefined : text.slice(0, NAME_CHARS_MAX + 1);
}
