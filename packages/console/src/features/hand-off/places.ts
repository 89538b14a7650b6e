/** Lists the databases that an app may get a token for, on the page that asks which one. */
import { LIMITS } from '@fixpoint/protocol';
import type { Ledger, UserTenant } from '@fixpoint/protocol/admin';
import { tenantLabel } from '../../cloud/tenant-label.ts';

export interface Place {
  readonly tenantId: string;
  /** Undefined for a database that is created when chosen. */
  readonly ledgerId: string | undefined;
  readonly name: string;
  /** Text that contains the names of the tenant and the database. */
  readonly label: string;
}

/** Describes the database that the app requests. */
export interface Wish {
  readonly tenant: string | null;
  /** Id or name of the requested database. */
  readonly ledger: string | null;
  /** Name that the app uses for the database on its device. */
  readonly localName: string | null;
}

/**
 * Returns whether the app requests this database. A request without a name matches any database of
 * the requested tenant.
 */
export function isPlace({ tenantId, ledgerId, name }: Place, { tenant, ledger, localName }: Wish): boolean {
  if (tenant !== null && tenantId !== tenant) return false;
  if (ledger !== null) return ledgerId === ledger || name === ledger;
  return localName === null || name === localName;
}

/**
 * Returns the existing databases and, where the user may create databases, a new one with the name
 * that the app uses. The requested database is first.
 */
export function placesFor(
  tenants: readonly UserTenant[],
  ledgers: readonly Ledger[],
  { tenant, ledger, localName }: Wish,
): Place[] {
  const wanted = (tenants.some(({ tenantId }) => tenantId === tenant) && tenant) || undefined;
  const isMeant = ({ tenantId, ledgerId, name }: Place) =>
    (wanted === undefined || tenantId === wanted) &&
    (ledgerId === ledger || name === ledger || (ledger === null && name === localName));
  const places = tenants.flatMap((each): Place[] => {
    const { tenantId, role } = each;
    const own = ledgers.filter((one) => one.tenantId === tenantId);
    const there = own.map(({ ledgerId, name }) => ({
      tenantId,
      ledgerId,
      name,
      label: `${name} in ${tenantLabel(each)}`,
    }));
    const name = localName?.trim() ?? '';
    const hasRoom = own.length < (each.tenant.limits?.maxLedgers ?? Number.POSITIVE_INFINITY);
    const isNew = name.length >= LIMITS.ledgerNameCharsMin && own.every((one) => one.name !== name);
    if (role !== 'admin' || !hasRoom || !isNew) return there;
    return [
      ...there,
      { tenantId, ledgerId: undefined, name, label: `${name} in ${tenantLabel(each)} (new)` },
    ];
  });
  const rank = (place: Place) =>
    (isMeant(place) ? 0 : 2) + (place.ledgerId === undefined ? 1 : 0) + (place.tenantId === wanted ? 0 : 4);
  return places.sort((a, b) => rank(a) - rank(b));
}
