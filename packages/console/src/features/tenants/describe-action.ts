import { type AuditRecord, isRequestType, REQUESTS } from '@fixpoint/protocol/admin';

/** Returns an audit action in words; unknown actions are returned unchanged. */
export const describeAction = (action: string): string =>
  (isRequestType(action) && REQUESTS[action].audited) || action;

/**
 * Returns the readable values of an audit detail: names, addresses, roles and rights. Ids are
 * replaced by known names.
 */
export function detailsOf(
  { detail }: Pick<AuditRecord, 'detail'>,
  nameOf: (id: string) => string | undefined,
): string[] {
  const told: string[] = [];
  const visit = (value: unknown, key: string): void => {
    if (Array.isArray(value)) for (const each of value) visit(each, key);
    else if (typeof value === 'object' && value !== null)
      for (const [name, each] of Object.entries(value)) visit(each, name);
    else if (typeof value === 'string') {
      const isId = key === 'id' || key.endsWith('Id');
      const text = isId ? nameOf(value) : value;
      if (text !== undefined && !told.includes(text)) told.push(text);
    }
  };
  visit(parsed(detail), '');
  return told;
}

/** Parses a detail. A newer server may send a detail that isn't JSON, which is shown as text. */
function parsed(detail: string): unknown {
  try {
    return JSON.parse(detail);
  } catch {
    return detail;
  }
}
