import { LIMITS } from '@fixpoint/protocol';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useApp } from '../../cloud/app.ts';
import { apiTokensQuery } from '../../cloud/queries/queries.ts';
import { QueryView } from '../../cloud/queries/query-view.tsx';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/pages/page.tsx';
import { NoRows, Row, RowList } from '../../ui/row-list.tsx';
import { CreateTokenDialog } from './create-token-dialog.tsx';
import { RevokeToken, usesOf } from './revoke-token.tsx';

/** Lists the tokens with which programs use the tenant. Shown only to admins of the tenant. */
export function ApiTokensCard({ tenantId }: { tenantId: string }) {
  const query = useQuery(apiTokensQuery(useApp().api, tenantId));
  const [making, setMaking] = useState(false);
  const count = query.data?.length ?? 0;
  return (
    <Card
      title="API tokens"
      lead="For programs that run unattended, such as a nightly export: set FIXPOINT_TOKEN to an API token. A token never has more rights than its creator."
      actions={
        <Button
          size="sm"
          disabled={count >= LIMITS.apiTokensPerTenantMax}
          title={
            count >= LIMITS.apiTokensPerTenantMax
              ? 'First revoke a token that you no longer need.'
              : undefined
          }
          onClick={() => setMaking(true)}
        >
          Create a token
        </Button>
      }
    >
      <QueryView query={query}>
        {(tokens) =>
          tokens.length === 0 ? (
            <NoRows>No tokens yet. Create one for a program that uses this tenant.</NoRows>
          ) : (
            <RowList label="API tokens">
              {tokens.map((token) => (
                <Row
                  key={token.tokenId}
                  name={token.name}
                  badge={<Badge>{token.right}</Badge>}
                  detail={usesOf(token)}
                >
                  <RevokeToken token={token} />
                </Row>
              ))}
            </RowList>
          )
        }
      </QueryView>
      {making && <CreateTokenDialog tenantId={tenantId} onClose={() => setMaking(false)} />}
    </Card>
  );
}
