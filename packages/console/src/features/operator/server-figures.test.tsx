import type { AdminClient } from '@fixpoint/protocol/admin';
import { screen, waitFor } from '@testing-library/react';
import { expect, test } from 'vitest';
import { done, refusedWith, signedIn } from '../../cloud/app.fixture.ts';
import { drawPart } from '../../cloud/part.fixture.tsx';
import { withPages } from '../../ui/pages.fixture.tsx';
import { ServerFigures } from './server-figures.tsx';

withPages();

const SERVER = {
  ...{ version: '1.2.3', signUp: 'open' as const, tenants: 1, people: 3, waiting: 0, ledgers: 4 },
  ...{ bytes: 8_500_000_000, gateways: 2, failedMails: 0 },
};
const BACKUP = {
  ...{ id: 'b1', moment: new Date().toISOString(), finished: new Date().toISOString() },
  ...{ objects: 2, bytes: 1500, missing: 0 },
};

async function figures(api: Partial<AdminClient> = {}) {
  const parts = signedIn({
    api: {
      describeServer: () => done(SERVER),
      listGateways: () => done([]),
      listBackups: () => done({ backups: [] }),
      ...api,
    },
  });
  await drawPart(ServerFigures, parts);
  return (name: string) => screen.getByText(name, { selector: 'dt' }).nextElementSibling?.textContent;
}

test('shows gateways, connections and storage', async () => {
  const gateway = { gatewayId: 'g', url: 'http://one', version: '1.2.3', startedAt: '', seenAt: '' };
  const of = await figures({
    listGateways: () => done([1200, 84].map((sockets) => ({ ...gateway, sockets }))),
  });
  await waitFor(() => expect(of('Connections')).toBe('1,284now'));
  expect(of('Gateways')).toBe('2running 1.2.3');
  expect(of('Storage')).toBe('8.5 GBin 1 tenant');
  expect(of('Failed mails')).toBe('0in 7 days');
});

test.each([
  [{ backups: [] }, 'Nonenot scheduled'],
  [{ backups: [], everyHours: 24 }, 'Noneyet'],
  [{ backups: [BACKUP], everyHours: 24 }, 'just nowcomplete'],
  [{ backups: [{ ...BACKUP, missing: 3 }], everyHours: 24 }, 'just now3 objects missing'],
])('says when the last backup was made: %j', async (answer, text) => {
  const of = await figures({ listBackups: () => done(answer) });
  await waitFor(() => expect(of('Last backup')).toBe(text));
});

test('shows the other figures while some are unknown', async () => {
  const of = await figures({
    listGateways: () => refusedWith('tired'),
    listBackups: () => refusedWith('tired'),
  });
  await waitFor(() => expect([of('Connections'), of('Last backup')]).toEqual(['unknownnow', 'unknown']));
  expect(of('Gateways')).toBe('2running 1.2.3');
});

test('marks failed mails', async () => {
  const of = await figures({ describeServer: () => done({ ...SERVER, failedMails: 4 }) });
  await waitFor(() => expect(of('Failed mails')).toBe('4in 7 days'));
  expect(screen.getByText('in 7 days').className).toContain('text-conflict');
});
