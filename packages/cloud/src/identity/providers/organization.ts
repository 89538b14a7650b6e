/** The organisation of a provider that a person signed in for, as tokens name it. */
import { visibleName } from '@fixpoint/protocol';

export interface Organization {
  /** The provider's own id. */
  readonly id: string;
  readonly name?: string;
  readonly role: 'admin' | 'member';
}

const ADMINS = ['admin', 'org:admin', 'owner'];
const NAME_CHARS_MAX = 200;

/**
 * Reads the claims `org_id`, `org_name` or `org_slug`, `org_role`; or `o: {id, slg, rol}`, as Clerk
 * shortens them. Undefined for people who act for themselves.
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
