/**
 * The one-time link with which somebody becomes the first operator. A server without operators
 * prints a link when it starts. The tables store only a hash of the link's secret.
 */
import { randomBytes } from 'node:crypto';
import type { Db } from '../tables/connection.ts';
import { timestamp } from '../tables/new-row.ts';
import { hasOperator, putOperatorLink } from '../tables/operators/operator-rows.ts';
import { hashOfSecret } from './new-api-token.ts';

/** Milliseconds for which a link is valid. */
export const OPERATOR_LINK_MS = 24 * 3_600_000;

/**
 * Creates a link if the server has no operator. The secret follows `#`, so browsers don't send it
 * with requests for the page.
 * @param consoleUrl URL of the console's first page
 */
export async function newOperatorLink(db: Db, consoleUrl: string, now: number): Promise<string | undefined> {
  if (await hasOperator(db)) return undefined;
  const secret = randomBytes(32).toString('base64url');
  const [at, oldest] = [timestamp(now), timestamp(now - OPERATOR_LINK_MS)];
  await putOperatorLink(db, hashOfOperatorLink(secret), at, oldest);
  return `${consoleUrl}/operator/claim#${secret}`;
}

/** Returns the line that a server prints with the link. */
export const operatorNote = (link: string): string =>
  `This server has no operator yet. To become its operator, open this link within a day: ${link}`;

export const hashOfOperatorLink = (secret: string): string => hashOfSecret(`operator ${secret}`);
