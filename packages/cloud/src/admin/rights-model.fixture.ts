/**
 * Models who may do what: the rules of docs/roles.md, without a database. The model test compares
 * the server with this model. Each action returns the answer that the server should give.
 */
export type Role = 'admin' | 'member' | 'guest';
type Right = 'read' | 'write';
export type Outcome =
  | 'OK'
  | 'DENIED'
  | 'CONFLICT'
  | 'LIMIT_REACHED'
  | 'NOT_FOUND'
  | `INVITE_${'ENDED' | 'EXPIRED'}`
  | 'EMAIL_UNVERIFIED'
  | 'REQUEST_INVALID'
  | 'NOT_SIGNED_IN';
export interface Person {
  readonly email: string;
  proven: boolean;
  banned: boolean;
}
export interface Invite {
  id: string;
  tenant: Tenant;
  ledger?: Ledger | undefined;
  user?: number | undefined;
  email?: string | undefined;
  role: 'admin' | 'member';
  right: Right;
  by: number;
  status: string;
}
/**
 * In `rows`, `none` denies access. `kept` is a restriction to reading from an ended membership,
 * which applies again if the person returns.
 */
export interface Ledger {
  id: string;
  creator: number;
  rows: Map<number, Right | 'none' | 'kept'>;
}
export interface Tenant {
  id: string;
  owner: number;
  members: Map<number, { role: Role; follows: boolean }>;
  ledgers: Ledger[];
  ended: Map<string, Set<string>>;
  tokens: Set<string>;
}

/** Lower than the limits of the specification, so that six people reach them. */
export const LIMITS_OF_MODEL = { roles: 3, invites: 5, shares: 2 } as const;
const { roles: ROLES_MAX, invites: INVITES_MAX, shares: SHARES_MAX } = LIMITS_OF_MODEL;

export class Model {
  readonly tenants: (Tenant | undefined)[] = [undefined, undefined, undefined];
  invites: Invite[] = [];
  readonly people: Person[];
  /** Tokens that stopped working when a membership or a tenant ended. */
  readonly lostTokens: string[] = [];

  constructor(people: Person[]) {
    this.people = people;
  }

  role = (p: number, t: Tenant) => t.members.get(p)?.role;
  isAdmin = (p: number, t: Tenant) => this.role(p, t) === 'admin' && !this.people[p]?.banned;
  count = (t: Tenant, role: Role) => [...t.members.values()].filter((one) => one.role === role).length;
  owned = (p: number) => this.tenants.filter((t) => t?.owner === p).length;
  pending = (t: Tenant, l?: Ledger) =>
    this.invites.filter(
      (i) => i.status === 'pending' && i.tenant === t && (l === undefined || i.ledger === l),
    );
  isLastAdmin = (p: number, t: Tenant) =>
    this.isAdmin(p, t) && [...t.members.keys()].filter((q) => this.isAdmin(q, t)).length <= 1;
  shares = (t: Tenant, l: Ledger) =>
    [...l.rows]
      .filter(
        ([p, row]) =>
          (row === 'read' || row === 'write') &&
          (p !== l.creator || (this.role(p, t) ?? 'admin') !== 'admin'),
      )
      .map(([p]) => p);
  access(p: number, t: Tenant, l: Ledger): Right | 'none' {
    const role = this.people[p]?.banned ? undefined : this.role(p, t);
    const row = l.rows.get(p);
    if (role === undefined) return 'none';
    if (role === 'admin') return 'write';
    if (row === undefined) return role === 'guest' ? 'none' : 'write';
    return row === 'kept' ? 'none' : row;
  }
  /** Returns the accounts and addresses of one person. */
  names(p: number): (number | string)[] {
    const { email, proven } = this.people[p] as Person;
    return proven ? this.namesOf(email) : [p];
  }
  namesOf = (email: string) => [
    email,
    ...this.people.flatMap((one, q) => (one.proven && one.email === email ? [q] : [])),
  ];
  isTo = (i: Invite, names: readonly (number | string)[]) =>
    names.includes(i.user ?? '') || names.includes(i.email ?? '');
  revoke = (all: Invite[], isMeant: (i: Invite) => boolean) =>
    all.filter(isMeant).forEach((i) => {
      i.status = 'revoked';
    });
  remember = (t: Tenant, l: Ledger | undefined, names: readonly (number | string)[]) =>
    names.forEach((n) => {
      t.ended.set(`${l?.id} ${n}`, new Set(this.pending(t).map(({ id }) => id)));
    });
  forget = (t: Tenant, l: Ledger | undefined, names: readonly (number | string)[]) =>
    names.forEach((n) => {
      t.ended.delete(`${l?.id} ${n}`);
    });

  begin(p: number, t: Tenant, role: Role, follows: boolean) {
    t.members.set(p, { role, follows });
    if (role === 'guest') return;
    this.forget(t, undefined, this.names(p));
    for (const l of t.ledgers)
      if (l.rows.get(p) === 'kept' && this.shares(t, l).length + this.pending(t, l).length < SHARES_MAX)
        l.rows.set(p, 'read');
  }
  invite(
    p: number,
    t: Tenant,
    l: Ledger | undefined,
    to: { user: number } | { email: string },
    given: { id: string; role: 'admin' | 'member'; right: Right },
  ): Outcome {
    if (!this.isAdmin(p, t)) return 'DENIED';
    if ('user' in to && this.people[to.user]?.banned) return 'NOT_FOUND';
    if ('user' in to ? to.user === p : to.email === this.people[p]?.email) return 'REQUEST_INVALID';
    const names = 'user' in to ? [...new Set([to.user, ...this.names(to.user)])] : this.namesOf(to.email);
    if (
      names.some(
        (n) => typeof n === 'number' && t.members.has(n) && (l !== undefined || this.role(n, t) !== 'guest'),
      )
    )
      return 'CONFLICT';
    if (this.pending(t).some((i) => i.ledger === l && this.isTo(i, names))) return 'CONFLICT';
    if (
      this.pending(t).length >= INVITES_MAX ||
      (l && this.shares(t, l).length + this.pending(t, l).length >= SHARES_MAX)
    )
      return 'LIMIT_REACHED';
    this.invites.push({ ...given, tenant: t, ledger: l, by: p, status: 'pending', ...to });
    return 'OK';
  }
  /** Changes an invite. A person who changes its role or right becomes its inviter. */
  change(p: number, i: Invite, to: Pick<Invite, 'role' | 'right'>): Outcome {
    if (!this.isAdmin(p, i.tenant)) return 'DENIED';
    if (i.status !== 'pending') return 'CONFLICT';
    Object.assign(i, to, { by: p });
    return 'OK';
  }
  redeem(p: number, i: Invite): Outcome {
    const { email, proven } = this.people[p] as Person;
    const { tenant: t, ledger: l } = i;
    if (i.user !== p && i.email !== email) return 'NOT_FOUND';
    if (i.user !== p && !proven) return 'EMAIL_UNVERIFIED';
    if (i.status !== 'pending') return i.status === 'expired' ? 'INVITE_EXPIRED' : 'INVITE_ENDED';
    const names = this.names(p);
    const isStale = names.some((n) => [undefined, l].some((of) => t.ended.get(`${of?.id} ${n}`)?.has(i.id)));
    if (!this.isAdmin(i.by, t) || isStale) return 'INVITE_ENDED';
    if (['admin', 'member'].includes(this.role(p, t) ?? '')) {
      // The person already has this right, so the invite is used up without effect.
    } else if (l === undefined) {
      if (this.count(t, i.role) >= ROLES_MAX) return 'LIMIT_REACHED';
      this.begin(p, t, i.role, false);
    } else {
      if (!this.shares(t, l).includes(p) && this.shares(t, l).length >= SHARES_MAX) return 'LIMIT_REACHED';
      if (!t.members.has(p)) this.begin(p, t, 'guest', false);
      l.rows.set(p, i.right);
      this.forget(t, l, names);
    }
    Object.assign(i, { status: 'accepted', user: p });
    this.revoke(this.pending(t, l), (one) => this.isTo(one, names));
    return 'OK';
  }
  reject(p: number, i: Invite): Outcome {
    const { email, proven } = this.people[p] as Person;
    if (i.status !== 'pending' || (i.user !== p && !(proven && i.email === email))) return 'NOT_FOUND';
    i.status = 'rejected';
    return 'OK';
  }
  withdraw(p: number, i: Invite): Outcome {
    if (!this.isAdmin(p, i.tenant)) return 'DENIED';
    if (i.status === 'pending') i.status = 'revoked';
    else this.invites = this.invites.filter((one) => one !== i);
    return 'OK';
  }
  changeRole(p: number, t: Tenant, q: number, role: 'admin' | 'member'): Outcome {
    const was = this.role(q, t);
    if (!this.isAdmin(p, t)) return 'DENIED';
    if (was === undefined) return 'NOT_FOUND';
    if (was === role) return 'OK';
    if (this.count(t, role) >= ROLES_MAX) return 'LIMIT_REACHED';
    if (was === 'admin' && (this.isLastAdmin(q, t) || t.owner === q)) return 'CONFLICT';
    if (role === 'member') this.revoke(this.pending(t), ({ by }) => by === q);
    if (was === 'guest') this.begin(q, t, role, false);
    else t.members.set(q, { role, follows: false });
    return 'OK';
  }
  remove(p: number, t: Tenant, q: number): Outcome {
    if (!t.members.has(p) || (p !== q && !this.isAdmin(p, t))) return 'DENIED';
    if (!t.members.has(q)) return 'NOT_FOUND';
    if (this.isLastAdmin(q, t) || t.owner === q) return 'CONFLICT';
    const names = this.names(q);
    this.revoke(this.pending(t), (i) => this.isTo(i, names) || i.by === q);
    this.remember(t, undefined, names);
    for (const { rows } of t.ledgers) if (rows.get(q) === 'write') rows.delete(q);
    for (const { rows } of t.ledgers) if (rows.get(q) === 'read') rows.set(q, 'kept');
    this.leave(q, t);
    return 'OK';
  }
  leave(q: number, t: Tenant) {
    t.members.delete(q);
    for (const token of t.tokens) if (token.startsWith(`${q} `)) this.loseToken(t, token);
  }
  loseToken(t: Tenant, token: string) {
    t.tokens.delete(token);
    this.lostTokens.push(token);
  }
  handOver(p: number, t: Tenant, q: number): Outcome {
    if (!this.isAdmin(p, t) || t.owner !== p) return 'DENIED';
    if (this.role(q, t) !== 'admin' || this.people[q]?.banned) return 'CONFLICT';
    t.owner = q;
    return 'OK';
  }
  share(p: number, t: Tenant, l: Ledger, q: number, right: Right | 'none'): Outcome {
    const role = this.role(q, t);
    if (!this.isAdmin(p, t)) return 'DENIED';
    if (role === undefined || role === 'admin') return role ? 'CONFLICT' : 'NOT_FOUND';
    const isFull = this.shares(t, l).length + this.pending(t, l).length >= SHARES_MAX;
    if (right !== 'none' && isFull && !this.shares(t, l).includes(q)) return 'LIMIT_REACHED';
    l.rows.set(q, right);
    if (right !== 'none') return 'OK';
    this.revoke(this.pending(t, l), (i) => this.isTo(i, this.names(q)));
    this.remember(t, l, this.names(q));
    const hasShare = t.ledgers.some(({ rows }) => ['read', 'write'].includes(rows.get(q) ?? ''));
    if (role === 'guest' && !hasShare) this.leave(q, t);
    return 'OK';
  }
  /** Signs in a person as a member of the tenant's organisation. */
  follow(p: number, t: Tenant, role: 'admin' | 'member') {
    const member = t.members.get(p);
    const isBehind = !member || ((member.role === 'guest' || member.follows) && member.role !== role);
    const hasEnded = this.names(p).some((n) => t.ended.has(`undefined ${n}`));
    if (!isBehind || hasEnded || this.people[p]?.banned || this.count(t, role) >= ROLES_MAX) return;
    if (member?.role !== 'admin') return this.begin(p, t, role, true);
    const heir = [...t.members.keys()].find((q) => q !== p && this.isAdmin(q, t));
    if (heir === undefined) return;
    if (t.owner === p) t.owner = heir;
    this.revoke(this.pending(t), ({ by }) => by === p);
    t.members.set(p, { role, follows: true });
  }
}
