import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useApp } from '../../cloud/app.ts';
import type { SecondFactor } from '../../cloud/identity/session-port.ts';
import { accountQueries } from '../../cloud/queries/queries.ts';
import { QueryView } from '../../cloud/queries/query-view.tsx';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { useToast } from '../../ui/overlays/toaster.tsx';
import { Card } from '../../ui/pages/page.tsx';
import { NoRows } from '../../ui/row-list.tsx';
import { BackupCodesDialog } from './backup-codes.tsx';
import { PasswordDialog } from './password-dialog.tsx';
import { SecondFactorSetup } from './second-factor-setup.tsx';

export interface SecondFactorCardProps {
  readonly secondFactor: SecondFactor;
  /**
   * Whether the account's address is verified. An unverified address may belong to somebody else,
   * whom a second step of this user could lock out.
   */
  readonly isProven: boolean;
}

/** Sets up a code from an authenticator app in addition to the password. */
export function SecondFactorCard({ secondFactor, isProven }: SecondFactorCardProps) {
  const query = useQuery(accountQueries.secondFactor(secondFactor));
  const { queries } = useApp();
  const toast = useToast();
  const [isSettingUp, setSettingUp] = useState(false);
  const done = async () => {
    setSettingUp(false);
    toast('Second step turned on.');
    await queries.invalidateQueries({ queryKey: accountQueries.all });
  };
  return (
    <Card
      title="Second step"
      lead="Requires a code from an app on your phone in addition to the password, so a stolen password isn’t enough to sign in."
      actions={
        query.data === true ? (
          <Badge tone="accent">On</Badge>
        ) : (
          query.data === false && isProven && <Button onClick={() => setSettingUp(true)}>Set up</Button>
        )
      }
    >
      <QueryView query={query}>
        {(isOn) =>
          isOn ? (
            <IsOn secondFactor={secondFactor} />
          ) : (
            !isProven && <NoRows>Verify your email first: open the link we sent you.</NoRows>
          )
        }
      </QueryView>
      {/* Outside of QueryView, whose content changes as soon as the second step is on. The dialog
          must stay open then, because it shows the backup codes only once. */}
      {isSettingUp && (
        <SecondFactorSetup
          secondFactor={secondFactor}
          onClose={() => setSettingUp(false)}
          onDone={() => void done()}
        />
      )}
    </Card>
  );
}

function IsOn({ secondFactor }: { secondFactor: SecondFactor }) {
  const { queries } = useApp();
  const toast = useToast();
  const [asking, setAsking] = useState<'codes' | 'off'>();
  const [codes, setCodes] = useState<readonly string[]>();
  return (
    <div className="flex flex-wrap gap-2">
      <Button onClick={() => setAsking('codes')}>Create backup codes</Button>
      <Button onClick={() => setAsking('off')}>Turn off</Button>
      {asking === 'codes' && (
        <PasswordDialog
          title="Create new backup codes?"
          description="Your previous backup codes stop working."
          action="Create new codes"
          run={secondFactor.newBackupCodes}
          onClose={() => setAsking(undefined)}
          onDone={({ backupCodes }) => {
            setAsking(undefined);
            setCodes(backupCodes);
          }}
        />
      )}
      {asking === 'off' && (
        <PasswordDialog
          title="Turn off the second step?"
          description="Your password is then enough to sign in."
          action="Turn off"
          run={secondFactor.turnOff}
          onClose={() => setAsking(undefined)}
          onDone={() => {
            setAsking(undefined);
            toast('Second step turned off.');
            void queries.invalidateQueries({ queryKey: accountQueries.all });
          }}
        />
      )}
      {codes !== undefined && <BackupCodesDialog codes={codes} onDone={() => setCodes(undefined)} />}
    </div>
  );
}
