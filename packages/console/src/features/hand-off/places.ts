/** Databases of which an application may get a token, for the page on which one is chosen. */
import { LIMITS } from '@fixpoint/protocol';
import type { Ledger, UserTenant } from '@fixpoint/protocol/admin';
import { tenantLabel } from '../../cloud/tenant-label.ts';

export interface Place {
  readonly tenantId: string;
  /** Undefined for one that is made when it is chosen. */
  readonly ledgerId: string | undefined;
  readonly name: string;
  /** Names both tenant and database. */
  readonly label: string;
}

/** What the application says of the database that it means. */
export interface Wish {
  readonly tenant: string | null;
  /** Its id or its name. */
  readonly ledger: string | null;
  /** What the application calls it at home. */
  readonly localName: string | null;
}

/** Whether the application means this database; without a name for it, any of the wanted tenant. */
export function isPlace({ tenantId, ledgerId, name }: Place, { tenant, ledger, localName }: Wish): boolean {
  if (tenant !== null && tenantId !== tenant) return false;
  if (ledger !== null) return ledgerId === ledger || name === ledger;
  return localName === null || name === localName;
}

/** What there is, and, where the user may, one to be made under the application's name; the one that is meant first. */
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
