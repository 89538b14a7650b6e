import { LIMITS } from '@fixpoint/protocol';
import type { ApiToken, Member } from '@fixpoint/protocol/admin';
import { useQuery } from '@tanstack/react-query';
import { KeyRound, Plus } from 'lucide-react';
import { useState } from 'react';
import { useApp } from '../../cloud/app.ts';
import { apiTokensQuery } from '../../cloud/queries/queries.ts';
import { QueryView } from '../../cloud/queries/query-view.tsx';
import { Avatar } from '../../ui/avatar.tsx';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/pages/page.tsx';
import { NoRows } from '../../ui/row-list.tsx';
import { agoOf, dayOf, timeOf } from '../../ui/text/moment.ts';
import { CreateTokenDialog } from './create-token-dialog.tsx';
import { RevokeToken, usesOf } from './revoke-token.tsx';

export interface ApiTokensCardProps {
  readonly tenantId: string;
  /** The members of the tenant, whose names the card shows. */
  readonly members?: readonly Member[];
}

/** Lists the tokens with which programs use the tenant. Shown only to admins of the tenant. */
export function ApiTokensCard({ tenantId, members = [] }: ApiTokensCardProps) {
  const query = useQuery(apiTokensQuery(useApp().api, tenantId));
  const [making, setMaking] = useState(false);
  const count = query.data?.length ?? 0;
  return (
    <Card
      title="API tokens"
      beside={count > 0 ? String(count) : undefined}
      lead="For programs that run unattended, such as a nightly export: set FIXPOINT_TOKEN to an API token. A token never has more rights than its creator."
      actions={
        <Button
          disabled={count >= LIMITS.apiTokensPerTenantMax}
          title={
            count >= LIMITS.apiTokensPerTenantMax
              ? 'First revoke a token that you no longer need.'
              : undefined
          }
          onClick={() => setMaking(true)}
        >
          <Plus size={13} aria-hidden /> Create a token
        </Button>
      }
    >
      <QueryView query={query}>
        {(tokens) =>
          tokens.length === 0 ? (
            <NoRows>No tokens yet. Create one for a program that uses this tenant.</NoRows>
          ) : (
            <Tokens {...{ tokens, members }} />
          )
        }
      </QueryView>
      {making && <CreateTokenDialog tenantId={tenantId} onClose={() => setMaking(false)} />}
    </Card>
  );
}

const CELL = 'px-3.5 py-1.5';
/** Cells without space on narrow screens, which show the same facts below the name. */
const WIDE = `${CELL} max-xl:hidden`;

function Tokens({ tokens, members }: { tokens: readonly ApiToken[]; members: readonly Member[] }) {
  return (
    <table
      aria-label="API tokens"
      className="-mx-3.5 -mb-3.5 w-[calc(100%+1.75rem)] border-collapse border-t border-line text-left"
    >
      <thead>
        <tr className="h-7 border-b border-line bg-sunken text-xs text-ink-2 [&>th]:font-medium">
          <th className={CELL}>name</th>
          <th className={CELL}>right</th>
          <th className={WIDE}>created by</th>
          <th className={WIDE}>last used</th>
          <th className={WIDE}>expires</th>
          <th className={CELL}>
            <span className="sr-only">actions</span>
          </th>
        </tr>
      </thead>
      <tbody className="divide-y divide-line">
        {tokens.map((token) => (
          <Token
            key={token.tokenId}
            token={token}
            creator={members.find(({ userId }) => userId === token.userId)}
          />
        ))}
      </tbody>
    </table>
  );
}

function Token({ token, creator }: { token: ApiToken; creator: Member | undefined }) {
  const { name, right, userId, lastUsedAt, expiresAt } = token;
  const who = creator?.name ?? creator?.email;
  const isSoon = Date.parse(expiresAt) - Date.now() < SOON_MS;
  return (
    <tr>
      <td className={CELL}>
        <span className="flex items-center gap-1.75 font-medium wrap-anywhere">
          <KeyRound size={12} aria-hidden className="shrink-0 text-ink-3" /> {name}
        </span>
        <span className="block text-xs text-ink-3 xl:hidden">{usesOf(token)}</span>
      </td>
      <td className={`${CELL} text-ink-2`}>{right}</td>
      <td className={`${WIDE} text-ink-2`}>
        <span className="flex items-center gap-1.75">
          <Avatar name={who} />
          <bdi className="max-w-28 truncate" title={creator?.email ?? userId}>
            {who ?? 'Not a member'}
          </bdi>
        </span>
      </td>
      <td className={`${WIDE} text-ink-2`} title={lastUsedAt === undefined ? undefined : timeOf(lastUsedAt)}>
        {lastUsedAt === undefined ? 'Never' : agoOf(Date.parse(lastUsedAt), Date.now())}
      </td>
      <td className={`${WIDE} whitespace-nowrap ${isSoon ? 'font-medium text-conflict' : 'text-ink-2'}`}>
        {dayOf(expiresAt)}
        {isSoon && <span className="block text-xs">Expires soon</span>}
      </td>
      <td className={`${CELL} text-right`}>
        <RevokeToken token={token} />
      </td>
    </tr>
  );
}

/** Tokens that expire sooner are marked. */
const SOON_MS = 7 * 86_400_000;
