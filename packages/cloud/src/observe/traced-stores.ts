/** Spans of table statements and of calls to the object store. */
import { inSpan, recordSpan } from './running-request.ts';

interface Statement {
  readonly sql: string;
  readonly ms: number;
  readonly failed: boolean;
}

/**
 * Returns a function that records statements. Their spans contain the kind of statement and the
 * table, but not the text.
 */
export const statementSpans =
  (system: 'sqlite' | 'postgresql') =>
  ({ sql, ms, failed }: Statement): void =>
    recordSpan(
      () => namesIn(sql).filter(Boolean).join(' '),
      () => {
        const [operation, table] = namesIn(sql);
        return {
          'db.system.name': system,
          'db.operation.name': operation,
          ...(table !== '' && { 'db.collection.name': table }),
        };
      },
      ms,
      failed ? 'failed' : 'ok',
    );

const OPERATION = /^\s*(select|insert|update|delete|with|begin|commit|rollback|pragma)\b/i;
const TABLE = /\b(?:from|into|update)\s+"?([A-Za-z_]\w*)/i;

/** Returns the kind of a statement, and the first table that it names. */
export function namesIn(sql: string): [operation: string, table: string] {
  const operation = OPERATION.exec(sql)?.[1]?.toUpperCase() ?? 'OTHER';
  return [operation, TABLE.exec(sql)?.[1] ?? ''];
}

type Call = (...args: never[]) => Promise<unknown>;

/** Returns the target with spans around the named methods. */
export function tracedCalls<T extends object>(system: string, target: T, methods: readonly (keyof T)[]): T {
  const traced = methods.map((method) => {
    const call = target[method] as Call;
    const name = `${system} ${String(method)}`;
    const attributes = { 'fixpoint.call': name };
    return [method, (...args: never[]) => inSpan(name, attributes, () => call.apply(target, args))];
  });
  return { ...target, ...Object.fromEntries(traced) };
}
