import { useState } from 'react';
import { agreedHandOffs, revokeAgreement } from '../../cloud/sign-in/token-hand-offs.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/pages/page.tsx';
import { NoRows, Row, RowList } from '../../ui/row-list.tsx';
import { dayOf } from '../../ui/text/moment.ts';

/** Lists the apps that get tokens from this browser without a further question. */
export function HandOffsCard({ user }: { user: string }) {
  const [agreed, setAgreed] = useState(() => agreedHandOffs(user));
  return (
    <Card
      title="Applications"
      lead="These apps can get a token for one database without asking you again, for 30 days after you allowed access."
    >
      {agreed.length === 0 ? (
        <NoRows>No app can get a token without asking you.</NoRows>
      ) : (
        <RowList label="Applications">
          {agreed.map((one) => (
            <Row
              key={one.origin}
              name={one.origin}
              detail={`${one.label}, since ${dayOf(new Date(one.agreedAtMs).toISOString())}`}
            >
              <Button
                aria-label={`Revoke ${one.origin}`}
                onClick={() => {
                  revokeAgreement(one);
                  setAgreed(agreedHandOffs(user));
                }}
              >
                Revoke
              </Button>
            </Row>
          ))}
        </RowList>
      )}
    </Card>
  );
}
