import type { Application } from '@fixpoint/protocol/admin';
import { useQuery } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { useApp } from '../../cloud/app.ts';
import { applicationsQuery } from '../../cloud/queries/queries.ts';
import { QueryView } from '../../cloud/queries/query-view.tsx';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/pages/page.tsx';
import { NoRows, Row, RowList } from '../../ui/row-list.tsx';
import { CopyButton } from '../../ui/text/copy-button.tsx';
import { ApplicationDialog } from './application-dialog.tsx';
import { DeleteApplication } from './delete-application.tsx';

type Open =
  | { readonly is: 'register' }
  | { readonly is: 'change' | 'delete'; readonly application: Application };

/** Lists the apps that sign in their own users. Shown only to admins of the tenant. */
export function ApplicationsCard({ tenantId }: { tenantId: string }) {
  const query = useQuery(applicationsQuery(useApp().api, tenantId));
  const [open, setOpen] = useState<Open>();
  const close = () => setOpen(undefined);
  return (
    <Card
      title="Applications"
      beside={query.data !== undefined && query.data.length > 0 ? String(query.data.length) : undefined}
      lead="Your apps that sign people in at this server. People get access only to databases of this tenant that they may use."
      actions={
        <Button onClick={() => setOpen({ is: 'register' })}>
          <Plus size={13} aria-hidden /> Register an application
        </Button>
      }
    >
      <QueryView query={query}>
        {(applications) =>
          applications.length === 0 ? (
            <NoRows>No applications yet. Register an app, so that its users can sign in.</NoRows>
          ) : (
            <RowList label="Applications">
              {applications.map((application) => (
                <ApplicationRow key={application.applicationId} application={application} onOpen={setOpen} />
              ))}
            </RowList>
          )
        }
      </QueryView>
      {open?.is === 'register' && <ApplicationDialog tenantId={tenantId} onClose={close} />}
      {open?.is === 'change' && (
        <ApplicationDialog tenantId={tenantId} application={open.application} onClose={close} />
      )}
      {open?.is === 'delete' && <DeleteApplication application={open.application} onClose={close} />}
    </Card>
  );
}

interface ApplicationRowProps {
  readonly application: Application;
  readonly onOpen: (open: Open) => void;
}

function ApplicationRow({ application, onOpen }: ApplicationRowProps) {
  const { applicationId, name, origins } = application;
  return (
    <Row
      name={name}
      detail={
        <>
          <span className="block">{origins.join(', ')}</span>
          <span className="block font-mono">{applicationId}</span>
        </>
      }
    >
      <CopyButton text={applicationId} label="Copy id" size="sm" tone="quiet" />
      <Button aria-label={`Change ${name}`} onClick={() => onOpen({ is: 'change', application })}>
        Change
      </Button>
      <Button aria-label={`Delete ${name}`} onClick={() => onOpen({ is: 'delete', application })}>
        Delete
      </Button>
    </Row>
  );
}
