/**
 * Series in the notation of `promtool test rules`, for three hours with one sample per minute. Each
 * alert has a case in which it fires, and one in which it doesn't.
 */
interface AlertCase {
  readonly fires: Readonly<Record<string, string>>;
  readonly quiet: Readonly<Record<string, string>>;
}

const OF_ONE = 'job="fixpoint",instance="a:7370"';
const gauge = (name: string, fires: string, quiet: string, more = ''): AlertCase => ({
  fires: { [`${name}{${OF_ONE}${more}}`]: fires },
  quiet: { [`${name}{${OF_ONE}${more}}`]: quiet },
});

/** A share of two counters. The other requests grow by 60 in each minute. */
const share = (name: string, failing: string, fine: string): AlertCase => ({
  fires: {
    [`${name}{${OF_ONE},${failing}}`]: '0+6x180',
    [`${name}{${OF_ONE},${fine}}`]: '0+60x180',
  },
  quiet: {
    [`${name}{${OF_ONE},${failing}}`]: '0+1x180',
    [`${name}{${OF_ONE},${fine}}`]: '0+60x180',
  },
});

/** A histogram: of 60 values in each minute, `soon` are at most 0.1 and the others at most 10. */
const histogram = (name: string, labels: string, soon: number): Record<string, string> => ({
  [`${name}_bucket{${OF_ONE}${labels},le="0.1"}`]: `0+${soon}x180`,
  [`${name}_bucket{${OF_ONE}${labels},le="2"}`]: `0+${soon}x180`,
  [`${name}_bucket{${OF_ONE}${labels},le="10"}`]: '0+60x180',
  [`${name}_bucket{${OF_ONE}${labels},le="+Inf"}`]: '0+60x180',
  [`${name}_count{${OF_ONE}${labels}}`]: '0+60x180',
});

const used = (part: string, whole: string, fires: string, quiet: string): AlertCase => ({
  fires: { [`${part}{${OF_ONE}}`]: fires, [`${whole}{${OF_ONE}}`]: '100x180' },
  quiet: { [`${part}{${OF_ONE}}`]: quiet, [`${whole}{${OF_ONE}}`]: '100x180' },
});

/** Backups each day, the newest of which is from the start of the test, or 50 hours older. */
const backups = (moment: number): Record<string, string> => ({
  [`fixpoint_backup_moment_seconds{${OF_ONE}}`]: `${moment}x180`,
  [`fixpoint_backup_interval_seconds{${OF_ONE}}`]: '1800x180',
});

export const ALERT_CASES: Readonly<Record<string, AlertCase>> = {
  FixpointDown: gauge('up', '1x170 0x10', '1x180'),
  FixpointNotReady: gauge('fixpoint_ready', '1x170 0x10', '1x170 0 1x9'),
  FixpointRestarts: gauge('process_start_time_seconds', '1x160 2x5 3x5 4x10', '1x170 2x10'),
  FixpointRequestErrors: share(
    'fixpoint_http_requests_total',
    'route="/api",method="PUT",status="500"',
    'route="/api",method="PUT",status="200"',
  ),
  FixpointGatewayErrors: share(
    'fixpoint_gateway_requests_total',
    'type="reqPutMeta",transport="socket",outcome="FAULT"',
    'type="reqPutMeta",transport="socket",outcome="ok"',
  ),
  FixpointSlowRequests: {
    fires: histogram('fixpoint_http_request_seconds', ',route="/api"', 50),
    quiet: histogram('fixpoint_http_request_seconds', ',route="/api"', 59),
  },
  FixpointSlowDelivery: {
    fires: histogram('fixpoint_meta_delivery_seconds', '', 50),
    quiet: histogram('fixpoint_meta_delivery_seconds', '', 59),
  },
  FixpointRateLimited: share(
    'fixpoint_gateway_requests_total',
    'type="unknown",transport="http",outcome="RATE_LIMITED"',
    'type="reqPutMeta",transport="http",outcome="ok"',
  ),
  FixpointSignInAttempts: gauge(
    'fixpoint_http_requests_total',
    '0+60x180',
    '0+1x180',
    ',route="/auth/",method="POST",status="429"',
  ),
  FixpointEventLoopLag: gauge('nodejs_eventloop_lag_p99_seconds', '0.02x170 1x10', '0.02x178 1x2'),
  FixpointDiskFilling: used('fixpoint_disk_free_bytes', 'fixpoint_disk_size_bytes', '50x160 9x20', '11x180'),
  FixpointDiskFull: used('fixpoint_disk_free_bytes', 'fixpoint_disk_size_bytes', '50x170 2x10', '9x180'),
  FixpointStoreFull: gauge(
    'fixpoint_http_requests_total',
    '1x175 2x5',
    '0x100 1x80',
    ',route="/obj/",method="PUT",status="507"',
  ),
  FixpointFilesNearLimit: used('process_open_fds', 'process_max_fds', '50x170 90x10', '70x180'),
  FixpointSocketsOfOneUser: used(
    'fixpoint_sockets_of_one_user',
    'fixpoint_sockets_per_user_limit',
    '50x160 95x20',
    '50x175 95x5',
  ),
  FixpointSocketsRefused: gauge('fixpoint_sockets_refused_total', '0+60x180', '0+6x180', ',status="429"'),
  FixpointSocketsCut: gauge('fixpoint_sockets_cut_total', '0+60x180', '0+6x180', ',reason="flood"'),
  FixpointPostgresPoolExhausted: gauge('fixpoint_postgres_waiting', '0x160 5x20', '0x178 5x2'),
  FixpointBusDelay: gauge('fixpoint_bus_delay_seconds', '0x170 60x10', '0x178 10x2'),
  FixpointMailFailures: gauge('fixpoint_mails_total', '0x160 0+1x20', '0x160 1x20', ',outcome="failed"'),
  FixpointBackupTooOld: { fires: backups(0), quiet: backups(9000) },
  FixpointBackupFailing: gauge(
    'fixpoint_backups_total',
    '0x100 1x20 2x30 3x30',
    '0x100 1x80',
    ',outcome="failed"',
  ),
  FixpointBackupIncomplete: gauge('fixpoint_backup_missing_objects', '0x170 3x10', '0x180'),
  FixpointTracesLost: gauge('fixpoint_trace_spans_total', '0+10x180', '0x100 5x80', ',outcome="lost"'),
};
