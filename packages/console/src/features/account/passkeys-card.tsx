import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Account, Passkey } from '../../cloud/identity/session-port.ts';
import { accountQueries } from '../../cloud/queries/queries.ts';
import { QueryView } from '../../cloud/queries/query-view.tsx';
import { useCall } from '../../cloud/queries/use-call.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/overlays/confirm-dialog.tsx';
import { useToast } from '../../ui/overlays/toaster.tsx';
import { Card } from '../../ui/pages/page.tsx';
import { NoRows, Row, RowList } from '../../ui/row-list.tsx';
import { dayOf } from '../../ui/text/moment.ts';
import { useConfirmed } from './confirm-identity.tsx';
import { describeDevice } from './describe-browser.ts';

type Passkeys = NonNullable<Account['passkeys']>;

export interface PasskeysCardProps {
  readonly passkeys: Passkeys;
  /**
   * Whether the account's address is verified. An unverified address may belong to somebody else,
   * whom a passkey of this user could lock out.
   */
  readonly isProven: boolean;
}

/** Lists the devices and security keys that sign in without a password. */
export function PasskeysCard({ passkeys, isProven }: PasskeysCardProps) {
  const query = useQuery(accountQueries.passkeys(passkeys));
  return (
    <Card
      title="Passkeys"
      lead="Sign in with the screen lock of your device or a security key instead of a password."
      actions={isProven && <AddPasskey passkeys={passkeys} />}
    >
      <QueryView query={query}>
        {(list) =>
          list.length === 0 ? (
            <NoRows>
              {isProven
                ? 'No passkeys yet. Add one on a device that you own.'
                : 'Verify your email first: open the link we sent you.'}
            </NoRows>
          ) : (
            <RowList label="Passkeys">
              {list.map((passkey) => (
                <PasskeyRow key={passkey.id} passkey={passkey} passkeys={passkeys} />
              ))}
            </RowList>
          )
        }
      </QueryView>
    </Card>
  );
}

export function AddPasskey({ passkeys, wide = false }: { passkeys: Passkeys; wide?: boolean }) {
  const toast = useToast();
  const confirmed = useConfirmed();
  const add = useCall({
    call: () => confirmed(() => passkeys.add(describeDevice(navigator.userAgent))),
    changes: [accountQueries.passkeys(passkeys).queryKey],
    onDone: () => toast('Passkey added. You can sign in with it.'),
  });
  return (
    <Button tone={wide ? 'primary' : 'plain'} disabled={add.isPending} onClick={() => add.mutate(undefined)}>
      Add a passkey
    </Button>
  );
}

function PasskeyRow({
  passkey: { id, name, createdAt },
  passkeys,
}: {
  passkey: Passkey;
  passkeys: Passkeys;
}) {
  const [asking, setAsking] = useState(false);
  const toast = useToast();
  const called = name || 'Passkey';
  const confirmed = useConfirmed();
  const remove = useCall({
    call: () => confirmed(() => passkeys.remove(id)),
    changes: [accountQueries.passkeys(passkeys).queryKey],
    onDone: () => toast('Passkey removed.'),
  });
  return (
    <Row name={called} detail={createdAt ? `Added ${dayOf(createdAt)}` : undefined}>
      <Button aria-label={`Remove ${called}`} disabled={remove.isPending} onClick={() => setAsking(true)}>
        Remove
      </Button>
      {asking && (
        <ConfirmDialog
          title="Remove this passkey?"
          action="Remove passkey"
          onClose={() => setAsking(false)}
          onConfirm={() => {
            setAsking(false);
            remove.mutate(undefined);
          }}
        >
          You can no longer sign in with it. Your device may still offer it, so delete it there too.
        </ConfirmDialog>
      )}
    </Row>
  );
}
