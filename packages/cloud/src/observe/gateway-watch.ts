import type { Metrics } from './metrics.ts';
import { annotate } from './running-request.ts';

const CUTS = ['access lost', 'not reading', 'silent', 'flood', 'never opened'] as const;
export type CutReason = (typeof CUTS)[number];

/** Metrics of the gateway. Labels are a few fixed words, never ids. */
export interface GatewayWatch {
  answered(type: string, transport: 'http' | 'socket', outcome: string, seconds: number): void;
  /** Records that events were sent, and the seconds since their delivery began. */
  delivered(events: number, seconds: number): void;
  cut(reason: CutReason): void;
}

export function watchGateway(metrics: Metrics): GatewayWatch {
  const requests = metrics.counter('fixpoint_gateway_requests_total', 'Answered messages', [
    'type',
    'transport',
    'outcome',
  ]);
  const seconds = metrics.histogram('fixpoint_gateway_request_seconds', 'Time until a message was answered', [
    'type',
  ]);
  const events = metrics.counter('fixpoint_meta_events_total', 'Events sent to followers', []);
  const delivery = metrics.histogram(
    'fixpoint_meta_delivery_seconds',
    'Time from the hint of new metas until they were sent to all followers',
    [],
  );
  const cuts = metrics.counter(
    'fixpoint_sockets_cut_total',
    'Sockets that the server closed',
    ['reason'],
    CUTS.map((reason) => ({ reason })),
  );
  return {
    answered: (type, transport, outcome, took) => {
      requests({ type, transport, outcome });
      seconds({ type }, took);
      annotate({ 'fixpoint.request.type': type, 'fixpoint.outcome': outcome });
    },
    delivered: (count, took) => {
      events({}, count);
      delivery({}, took);
    },
    cut: (reason) => cuts({ reason }),
  };
}
