import type { Member, Right } from '@fixpoint/protocol/admin';
import { type FormEvent, useId, useState } from 'react';
import { useApp } from '../../cloud/app.ts';
import { answerOf, inviteQueries, shareQueries, tenantQueries } from '../../cloud/queries/queries.ts';
import { inviteToLedger } from '../../cloud/queries/send-invite.ts';
import { useKeptField } from '../../leaving/kept-field.ts';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/forms/form.tsx';
import { useToast } from '../../ui/overlays/toaster.tsx';
import { Card } from '../../ui/pages/page.tsx';
import { failureText } from '../../ui/text/failure-text.ts';
import { planShare, type Shares } from './plan-share.ts';
import { RightSelect } from './right-select.tsx';

export interface ShareFormProps {
  readonly tenantId: string;
  readonly members: readonly Member[];
  readonly given: Shares;
}

/** Grants a right in the ledger to a member, or to a person invited by email. */
export function ShareForm({ tenantId, members, given }: ShareFormProps) {
  const [email = '', setEmail] = useKeptField('share');
  const [right, setRight] = useState<Right>('read');
  const { problem, setProblem, busy, share } = useShare(tenantId, members, given);
  const list = useId();
  const sharedIds = new Set(given.shares.map(({ userId }) => userId));
  const offered = members.filter(({ role, userId }) => role === 'member' && !sharedIds.has(userId));
  const send = async (event: FormEvent) => {
    event.preventDefault();
    if (await share(email, right)) setEmail((now) => (now === email ? '' : now));
  };
  return (
    <Card
      title="Share with somebody"
      lead="Members of the tenant get access right away. Others get an invitation by email."
    >
      <form
        noValidate
        className="flex flex-wrap items-start gap-x-2 gap-y-3"
        onSubmit={(event) => void send(event)}
      >
        <div className="grow basis-60">
          <TextField
            label="Email"
            type="email"
            list={list}
            value={email}
            error={problem}
            onChange={(event) => {
              setEmail(event.target.value);
              setProblem(undefined);
            }}
            placeholder="name@example.com"
            autoComplete="off"
          />
        </div>
        <datalist id={list}>
          {offered.map(({ userId, email: known, name }) => (
            <option key={userId} value={known}>
              {name}
            </option>
          ))}
        </datalist>
        {/* In line with the field, which has a label above. */}
        <div className="flex flex-wrap items-center gap-2 sm:pt-6.5">
          <RightSelect label="Right" value={right} onChange={setRight} />
          <Button type="submit" tone="primary" disabled={busy}>
            Share
          </Button>
        </div>
      </form>
    </Card>
  );
}

function useShare(tenantId: string, members: readonly Member[], given: Shares) {
  const { api, queries } = useApp();
  const toast = useToast();
  const [problem, setProblem] = useState<string | undefined>();
  const [busy, setBusy] = useState(false);
  const { ledgerId } = given;

  async function askAnew(): Promise<void> {
    const lists = [
      shareQueries.list(api, tenantId, ledgerId),
      inviteQueries.list(api, tenantId),
      tenantQueries.list(api),
    ];
    await Promise.all(
      lists.map(({ queryKey }) => queries.invalidateQueries({ queryKey, refetchType: 'all' })),
    );
  }

  /** Returns whether the ledger was shared; if not, `problem` says why. */
  async function share(email: string, right: Right): Promise<boolean> {
    const plan = planShare(email, members, given);
    if ('problem' in plan) {
      setProblem(plan.problem);
      return false;
    }
    setBusy(true);
    try {
      if ('userId' in plan)
        await answerOf(api.shareLedger({ ledger: { ledgerId, tenantId }, userId: plan.userId, right }));
      else await answerOf(inviteToLedger(api, ledgerId, plan, right));
      toast('userId' in plan ? `Shared with ${email.trim()}.` : `Invitation sent to ${email.trim()}.`);
      return true;
    } catch (error) {
      setProblem(failureText(error));
      return false;
    } finally {
      void askAnew().then(() => setBusy(false));
    }
  }
  return { problem, setProblem, busy, share };
}
