/**
 * Compares the dashboard and the alert rules with the metrics of a real server, and with the
 * runbooks. By night, runs the rules in Prometheus' own tool.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { parse, stringify } from 'yaml';
import { debianProgram } from '../../../scripts/debian-programs.mjs';
import { ALERT_CASES } from './alert-cases.fixture.ts';
import {
  about,
  commit,
  httpClient,
  newLedger,
  socketClient,
  temporaryFolder,
  testCloud,
} from './cloud.fixture.ts';
import { collector } from './collector.fixture.ts';

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly labels: { readonly severity: string };
  readonly annotations: Readonly<Record<string, string>>;
}
const RULES_FILE = 'deploy/prometheus/alerts.yml';
const { groups } = parse(readFileSync(RULES_FILE, 'utf8')) as { groups: { rules: Rule[] }[] };
const rules = groups.flatMap((group) => group.rules);
const dashboard = JSON.parse(readFileSync('deploy/grafana/fixpoint.json', 'utf8'));

/** Returns all texts below a key of a JSON value. */
function textsAt(value: unknown, keys: readonly string[]): string[] {
  if (Array.isArray(value)) return value.flatMap((each) => textsAt(each, keys));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, each]) =>
    keys.includes(key) && typeof each === 'string' ? [each] : textsAt(each, keys),
  );
}

/** Metrics that Prometheus itself adds. */
const OF_PROMETHEUS: ReadonlyMap<string, readonly string[]> = new Map([
  ['up', []],
  ['ALERTS', ['alertname', 'alertstate']],
]);
const LABELS_OF_PROMETHEUS = ['job', 'instance'];
const WORDS = new Set(
  'sum,max,min,count,avg,by,without,rate,increase,changes,time,vector,histogram_quantile,avg_over_time,and,or,unless,on,ignoring,label_values'.split(
    ',',
  ),
);

/** Returns the names of metrics in PromQL, each with the labels that the expression uses on it. */
function usedIn(expression: string): { metrics: Map<string, Set<string>>; grouping: Set<string> } {
  const metrics = new Map<string, Set<string>>();
  const grouping = new Set<string>();
  const bare = expression
    .replaceAll(/\b(by|without|on|ignoring)\s*\(([^)]*)\)/g, (_, word: string, labels: string) => {
      for (const label of labels.split(',')) grouping.add(label.trim());
      return word;
    })
    .replaceAll(/([A-Za-z_:][\w:]*)\s*\{([^}]*)\}/g, (_, name: string, matchers: string) => {
      const labels = metrics.get(name) ?? new Set();
      for (const [, label = ''] of matchers.matchAll(/(\w+)\s*(?:=~|!~|!=|=)\s*"[^"]*"/g)) labels.add(label);
      metrics.set(name, labels);
      return ' ';
    })
    .replaceAll(/"[^"]*"|\[[^\]]*\]/g, ' ')
    .replaceAll(/label_values\(\s*,?\s*(\w+)\s*\)|,\s*(job|instance)\s*\)/g, ')');
  for (const [name] of bare.matchAll(/(?<![\w.])[A-Za-z_:][\w:]*/g))
    if (!WORDS.has(name) && !metrics.has(name)) metrics.set(name, new Set());
  return { metrics, grouping };
}

/** Returns the names of all metrics of a server, each with its labels. */
function exposedBy(text: string): Map<string, Set<string>> {
  const exposed = new Map<string, Set<string>>();
  for (const [, name = ''] of text.matchAll(/^# TYPE (\S+) /gm)) exposed.set(name, new Set());
  for (const [, name = '', labels = ''] of text.matchAll(/^([a-z]\w*)(?:\{(.*)\})? \S+$/gm)) {
    const known = exposed.get(name) ?? new Set();
    for (const [, label = ''] of labels.matchAll(/(\w+)="/g)) known.add(label);
    exposed.set(name, known);
  }
  return exposed;
}

/** Starts a server that uses everything that has metrics, and returns its metrics. */
async function metricsOfServer(): Promise<Map<string, Set<string>>> {
  const { url } = await collector();
  const backups = join(await temporaryFolder(), 'backups');
  await mkdir(backups);
  const cloud = await testCloud({
    tracesUrl: `${url}/v1/traces`,
    backup: { to: { kind: 'folder', path: backups }, hours: 24, keep: 7, secret: undefined },
  });
  const notes = await newLedger(cloud);
  const writer = await httpClient(cloud, notes);
  await commit(writer, notes, 'one');
  const follower = await socketClient(cloud, notes);
  await follower.request('bindGetMeta', about(notes, 'meta', 'GET'));
  await fetch(`${cloud.url}/healthz`);
  const text = async () => (await fetch(`${cloud.url}/metrics`)).text();
  await expect.poll(text).toContain('fixpoint_trace_spans_total{outcome="sent"}');
  await expect.poll(text).toMatch(/^nodejs_gc_duration_seconds_sum\{/m);
  return exposedBy(await text());
}

/** Lists what an expression uses and the server doesn't have. */
function unknownIn(expression: string, exposed: ReadonlyMap<string, ReadonlySet<string>>): string[] {
  const { metrics, grouping } = usedIn(expression);
  const labelsOf = (name: string) => [
    ...(exposed.get(name) ?? OF_PROMETHEUS.get(name) ?? []),
    ...LABELS_OF_PROMETHEUS,
  ];
  const all = [...metrics].flatMap(([name]) => labelsOf(name));
  return [
    ...[...metrics].flatMap(([name, labels]) =>
      exposed.has(name) || OF_PROMETHEUS.has(name)
        ? [...labels].filter((label) => !labelsOf(name).includes(label)).map((label) => `${name}{${label}}`)
        : [name],
    ),
    ...[...grouping].filter((label) => !all.includes(label)).map((label) => `by (${label})`),
  ];
}

describe('the dashboard and the alert rules', () => {
  beforeEach(() => void vi.stubEnv('OTEL_BSP_SCHEDULE_DELAY', '20'));

  test('uses only metrics and labels that a server has', async () => {
    const exposed = await metricsOfServer();
    const ofDashboard = textsAt(dashboard, ['expr', 'query']).filter((text) => text !== 'prometheus');
    expect(ofDashboard.length).toBeGreaterThan(40);
    for (const expression of [...rules.map(({ expr }) => expr), ...ofDashboard])
      expect(unknownIn(expression, exposed), expression).toEqual([]);
    expect(unknownIn('rate(fixpoint_made_up_total[5m]) > 0', exposed)).toEqual(['fixpoint_made_up_total']);
    expect(unknownIn('fixpoint_sockets{user="x"}', exposed)).toEqual(['fixpoint_sockets{user}']);
    expect(unknownIn('sum by (user) (fixpoint_sockets)', exposed)).toEqual(['by (user)']);
  });

  test('has a severity, a text and an existing runbook for each alert', () => {
    const runbooks = readFileSync('docs/guide/runbooks.md', 'utf8');
    const headings = [...runbooks.matchAll(/^## (\w+)$/gm)].map(([, name]) => name);
    expect(headings).toEqual(rules.map(({ alert }) => alert));
    for (const { alert, labels, annotations } of rules) {
      expect(['critical', 'warning', 'info'], alert).toContain(labels.severity);
      expect(annotations).toEqual({
        summary: expect.any(String),
        description: expect.any(String),
        runbook_url: `https://fixpoint.example/docs/guide/runbooks.html#${alert.toLowerCase()}`,
      });
      const [, section = ''] = runbooks.split(`\n## ${alert}\n`);
      const [text = ''] = section.split('\n## ');
      for (const part of ['What users notice', 'Look at', 'Do'])
        expect(text, `${alert}: ${part}`).toContain(`**${part}.**`);
    }
  });

  test('has a case in which each alert fires, and one in which it does not', () => {
    expect(Object.keys(ALERT_CASES)).toEqual(rules.map(({ alert }) => alert));
  });
});

/** The tool is fetched only by night. */
const isQuick = (process.env['FIXPOINT_BUDGET'] ?? 'commit') === 'commit';
const promtool = isQuick ? undefined : debianProgram('prometheus', 'usr/bin/promtool');

describe.skipIf(promtool === undefined)('promtool (only by night, and where Debian is available)', () => {
  const tool = (...args: string[]) => {
    const { status, stdout, stderr } = spawnSync(promtool ?? '', args, { encoding: 'utf8' });
    return { status, said: `${stdout}${stderr}` };
  };

  test('accepts the alert rules', () => {
    const { status, said } = tool('check', 'rules', RULES_FILE);
    expect(said).toContain(`${rules.length} rules found`);
    expect(status, said).toBe(0);
  });

  test('fires each alert in its case, and no alert for a healthy server', async () => {
    const count = (name: string, value: number) => [
      {
        expr: `count(ALERTS{alertname="${name}",alertstate="firing"}) or vector(0)`,
        eval_time: '3h',
        exp_samples: [{ labels: '{}', value }],
      },
    ];
    const series = (lines: Readonly<Record<string, string>>) =>
      Object.entries(lines).map(([name, values]) => ({ series: name, values }));
    const tests = Object.entries(ALERT_CASES).flatMap(([name, { fires, quiet }]) => [
      { interval: '1m', input_series: series(fires), promql_expr_test: count(name, 1) },
      { interval: '1m', input_series: series(quiet), promql_expr_test: count(name, 0) },
    ]);
    const file = join(await temporaryFolder(), 'alerts.test.yml');
    writeFileSync(file, stringify({ rule_files: [resolve(RULES_FILE)], evaluation_interval: '1m', tests }));
    const { status, said } = tool('test', 'rules', file);
    expect(status, said).toBe(0);
  });
});
