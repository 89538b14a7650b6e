import { useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { useApp } from '../../cloud/app.ts';
import type { Account, EndedAccess, OpenSession } from '../../cloud/identity/session-port.ts';
import { accountQueries, apiTokensQuery } from '../../cloud/queries/queries.ts';
import { QueryView } from '../../cloud/queries/query-view.tsx';
import { useCall } from '../../cloud/queries/use-call.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/overlays/confirm-dialog.tsx';
import { useToast } from '../../ui/overlays/toaster.tsx';
import { Card } from '../../ui/pages/page.tsx';
import { Row, RowList } from '../../ui/row-list.tsx';
import { timeOf } from '../../ui/text/moment.ts';
import { AccessField, accessIn, ENDED_TEXTS } from './access-field.tsx';
import { useConfirmed } from './confirm-identity.tsx';
import { describeDevice } from './describe-browser.ts';

type Sessions = NonNullable<Account['sessions']>;

/** Few enough to scan, and to keep the content below in view. */
const SHOWN_FIRST = 5;

export interface SessionsCardProps {
  readonly sessions: Sessions;
  /** The preselected access to revoke along with all other sessions. */
  readonly preset?: EndedAccess | undefined;
}

/** Lists the browsers in which the user is signed in; each can be signed out from here. */
export function SessionsCard({ sessions, preset }: SessionsCardProps) {
  const query = useQuery(accountQueries.sessions(sessions));
  const [areAllShown, setAllShown] = useState(false);
  return (
    <Card
      title="Signed-in browsers"
      lead="Sign out any browser you don’t recognise, then change your password if you have one."
      actions={(query.data?.length ?? 0) > 1 && <EndOthers sessions={sessions} preset={preset} />}
    >
      <QueryView query={query}>
        {(open) => (
          <>
            <RowList label="Signed-in browsers">
              {[...open]
                .sort(byUse)
                .slice(0, areAllShown ? undefined : SHOWN_FIRST)
                .map((session) => (
                  <SessionRow key={session.id} session={session} sessions={sessions} />
                ))}
            </RowList>
            {!areAllShown && open.length > SHOWN_FIRST && (
              <Button className="mt-3" onClick={() => setAllShown(true)}>
                Show all {open.length}
              </Button>
            )}
          </>
        )}
      </QueryView>
    </Card>
  );
}

/** Sorts this browser first, then by latest use. */
const byUse = (a: OpenSession, b: OpenSession) =>
  Number(b.current) - Number(a.current) || b.updatedAt.localeCompare(a.updatedAt);

function SessionRow({ session, sessions }: { session: OpenSession; sessions: Sessions }) {
  const { id, userAgent, ipAddress, updatedAt, createdAt, current } = session;
  const name = describeDevice(userAgent);
  const toast = useToast();
  const confirmed = useConfirmed();
  const end = useCall({
    call: () => confirmed(() => sessions.end(id)),
    changes: [accountQueries.sessions(sessions).queryKey],
    onDone: () => toast(`Signed out ${name}.`),
  });
  const from = ipAddress === undefined ? '' : `, from ${ipAddress}`;
  return (
    <Row
      name={name}
      badge={current && <Badge tone="accent">This browser</Badge>}
      detail={`Last used ${timeOf(updatedAt)}${from}; signed in ${timeOf(createdAt)}`}
    >
      {!current && (
        <Button
          aria-label={`Sign out ${name}, last used ${timeOf(updatedAt)}`}
          disabled={end.isPending}
          onClick={() => end.mutate(undefined)}
        >
          Sign out
        </Button>
      )}
    </Row>
  );
}

function EndOthers({ sessions, preset }: SessionsCardProps) {
  const { api } = useApp();
  const toast = useToast();
  const form = useRef<HTMLFormElement>(null);
  const [asking, setAsking] = useState(false);
  const confirmed = useConfirmed();
  const end = useCall({
    call: (access: EndedAccess) => confirmed(() => sessions.endOthers(access)),
    changes: [accountQueries.sessions(sessions).queryKey, apiTokensQuery(api).queryKey.slice(0, 1)],
    onDone: (_done, access) => toast(`All other browsers are signed out.${ENDED_TEXTS[access]}`),
  });
  const send = () => {
    const access = form.current === null ? 'keep' : accessIn(new FormData(form.current));
    setAsking(false);
    end.mutate(access);
  };
  return (
    <>
      <Button disabled={end.isPending} onClick={() => setAsking(true)}>
        Sign out everywhere else
      </Button>
      {asking && (
        <ConfirmDialog
          title="Sign out everywhere else?"
          action="Sign out"
          onClose={() => setAsking(false)}
          onConfirm={send}
          fields={
            <form ref={form} onSubmit={(event) => event.preventDefault()}>
              <AccessField preset={preset} />
            </form>
          }
        >
          You stay signed in here. All other browsers have to sign in again.
        </ConfirmDialog>
      )}
    </>
  );
}
