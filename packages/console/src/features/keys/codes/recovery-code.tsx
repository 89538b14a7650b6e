import { useEffect } from 'react';
import { matchPath, useParams } from 'react-router';
import { warnWhile } from '../../../leaving/ask-before-leaving.ts';
import { isLedToLogin } from '../../../leaving/led-to-login.ts';
import { ShownCode } from './shown-code.tsx';

const QUESTION = 'The recovery code isn’t shown again. Leave without saving it?';

/**
 * Shows a recovery code once. Asks before leaving the ledger; its other pages show the code too.
 */
export function RecoveryCode({ code }: { code: string }) {
  const { ledgerId } = useParams();
  useEffect(
    () =>
      warnWhile(
        (to) => to === undefined || !(isLedToLogin(to) || ledgerOf(to.pathname) === ledgerId),
        QUESTION,
      ),
    [ledgerId],
  );
  return <ShownCode label="Recovery code" code={code} />;
}

const ledgerOf = (path: string): string | undefined =>
  matchPath('/fp/cloud/tenants/:tenantId/ledgers/:ledgerId/*', path)?.params.ledgerId;
