import { useQuery } from '@tanstack/react-query';
import { useApp } from '../../cloud/app.ts';
import { apiTokensQuery } from '../../cloud/queries/queries.ts';
import { QueryView } from '../../cloud/queries/query-view.tsx';
import { Card } from '../../ui/pages/page.tsx';
import { NoRows, Row, RowList } from '../../ui/row-list.tsx';
import { RevokeToken, usesOf } from './revoke-token.tsx';

/** Lists programs that act as the signed-in user, such as the command line. */
export function ProgramsCard() {
  const query = useQuery(apiTokensQuery(useApp().api));
  return (
    <Card
      title="Programs"
      lead="Programs that signed in with a code, such as the command line. Each acts as you until you revoke it."
    >
      <QueryView query={query}>
        {(tokens) =>
          tokens.length === 0 ? (
            <NoRows>
              No programs yet. To sign in a program, run{' '}
              <code className="font-mono text-xs">npx fixpoint login</code>.
            </NoRows>
          ) : (
            <RowList label="Programs">
              {tokens.map((token) => (
                <Row key={token.tokenId} name={token.name} detail={usesOf(token)}>
                  <RevokeToken token={token} />
                </Row>
              ))}
            </RowList>
          )
        }
      </QueryView>
    </Card>
  );
}
