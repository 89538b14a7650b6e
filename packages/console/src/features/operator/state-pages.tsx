/** Pages of operators that only show the state of the server. */
import { useQuery } from '@tanstack/react-query';
import { Archive, MailCheck } from 'lucide-react';
import { useApp } from '../../cloud/app.ts';
import { QueryView } from '../../cloud/queries/query-view.tsx';
import { Badge } from '../../ui/badge.tsx';
import { EmptyState, ErrorPanel } from '../../ui/pages/feedback.tsx';
import { PageHeader } from '../../ui/pages/page.tsx';
import { Row, RowList } from '../../ui/row-list.tsx';
import { timeOf } from '../../ui/text/moment.ts';
import { bytesText } from '../../values/bytes-text.ts';
import { backupsQuery, gatewaysQuery, mailsQuery } from './operator-queries.ts';

/** /fp/cloud/operator/gateways: lists the processes that run now. */
export function GatewaysPage() {
  const query = useQuery(gatewaysQuery(useApp().api));
  return (
    <>
      <PageHeader title="Gateways" lead="The processes of this server that share its tables." />
      <QueryView query={query}>
        {(gateways) => (
          <RowList label="Gateways">
            {gateways.map(({ gatewayId, url, version, sockets, startedAt }) => (
              <Row
                key={gatewayId}
                name={url}
                badge={<Badge>{version}</Badge>}
                detail={`Running since ${timeOf(startedAt)}`}
              >
                <span className="tabular-nums">
                  {sockets === 1 ? '1 connection' : `${sockets.toLocaleString()} connections`}
                </span>
              </Row>
            ))}
          </RowList>
        )}
      </QueryView>
    </>
  );
}

/** /fp/cloud/operator/backups: lists the scheduled backups. */
export function BackupsPage() {
  const query = useQuery(backupsQuery(useApp().api));
  return (
    <>
      <PageHeader title="Backups" />
      <QueryView query={query}>
        {({ backups, everyHours, problem }) =>
          everyHours === undefined ? (
            <EmptyState
              icon={<Archive size={24} />}
              title="No scheduled backups"
              text="Set BACKUP_TO, and the server makes backups by itself. Backups of your own schedule, with fixpoint backup, aren’t listed here."
            />
          ) : (
            <>
              <p className="mb-4 text-ink-2">
                {everyHours === 1
                  ? 'The server makes one every hour.'
                  : `The server makes one every ${everyHours} hours.`}
              </p>
              {problem !== undefined && <ErrorPanel message={problem} />}
              {backups.length === 0 && problem === undefined && (
                <EmptyState icon={<Archive size={24} />} text="No backup is complete yet." />
              )}
              {backups.length > 0 && (
                <RowList label="Backups">
                  {backups.map(({ id, moment, objects, bytes, missing }) => (
                    <Row
                      key={id}
                      name={timeOf(moment)}
                      badge={missing > 0 && <Badge tone="danger">{missing} objects missing</Badge>}
                      detail={id}
                    >
                      <span className="tabular-nums">
                        {bytesText(bytes)},{' '}
                        {objects === 1 ? '1 object' : `${objects.toLocaleString()} objects`}
                      </span>
                    </Row>
                  ))}
                </RowList>
              )}
            </>
          )
        }
      </QueryView>
    </>
  );
}

/** /fp/cloud/operator/mails: lists mails that the mail server didn't accept. */
export function MailsPage() {
  const query = useQuery(mailsQuery(useApp().api));
  return (
    <>
      <PageHeader
        title="Failed mails"
        lead="Mails of the last 30 days that the mail server didn’t accept. Their texts are in the folder outbox of the server’s data."
      />
      <QueryView query={query}>
        {(mails) =>
          mails.length === 0 ? (
            <EmptyState icon={<MailCheck size={24} />} text="The mail server accepted every mail." />
          ) : (
            <RowList label="Failed mails">
              {mails.map(({ mailId, receiver, subject, reason, failedAt }) => (
                <Row key={mailId} name={subject} detail={`To ${receiver}: ${reason}`}>
                  <time dateTime={failedAt} className="text-xs text-ink-3">
                    {timeOf(failedAt)}
                  </time>
                </Row>
              ))}
            </RowList>
          )
        }
      </QueryView>
    </>
  );
}
