import { FixpointError, type Result } from '@fixpoint/protocol';
import type { UserTenant } from '@fixpoint/protocol/admin';
import { cleanup, screen } from '@testing-library/react';
import { beforeEach, describe, expect, test } from 'vitest';
import { appWith, done, signedIn, tenantCalled } from '../../cloud/app.fixture.ts';
import { drawPart } from '../../cloud/part.fixture.tsx';
import { forgetLedgerNotes } from '../../local/forget-notes.ts';
import { waiting, withPages } from '../../ui/pages.fixture.tsx';
import { areLoading } from '../../values/who-wrote.ts';
import { usePeople } from './use-people.ts';

withPages();
beforeEach(() => localStorage.clear());

const members = [{ userId: 'u1', role: 'admin', name: 'Ada', email: 'ada@example.com' }];
const tenant = { ...tenantCalled('t1', 'Acme'), members } as ReturnType<typeof tenantCalled>;

/** The same tenant for a member who isn’t an admin. */
const ofMember = { ...tenant, role: 'member' as const, members: undefined };

function Names() {
  const people = usePeople('t1');
  return <p>People: {[...people.values()].map(({ name }) => name).join(', ')}.</p>;
}

function Loading() {
  return <p>{areLoading(usePeople('t1')) ? 'Loading' : 'Known'}</p>;
}

const answered = () => drawPart(Names, signedIn({ tenants: [tenant] }));
const unanswered = () =>
  drawPart(Names, signedIn({ api: { listTenantsByUser: () => new Promise(() => undefined) } }));

describe('the people of a tenant', () => {
  test('keeps the names of the last answer while the server doesn’t answer', async () => {
    await answered();
    await screen.findByText('People: Ada.');
    document.body.replaceChildren();
    await unanswered();
    expect(await screen.findByText('People: Ada.')).toBeDefined();
  });

  test('names those who wrote to its databases to users who don’t see its members', async () => {
    const writers = [{ userId: 'u1', name: 'Ada' }];
    await drawPart(Names, signedIn({ tenants: [{ ...ofMember, writers }] }));
    await screen.findByText('People: Ada.');
    expect(localStorage.getItem('fixpoint:people:t1')).toBe('[["u1",{"name":"Ada"}]]');
    cleanup();
    localStorage.clear();
    await drawPart(Names, signedIn({ tenants: [ofMember] }));
    expect(await screen.findByText('People: .')).toBeDefined();
  });

  test('names guests who wrote to admins, too', async () => {
    const writers = [
      { userId: 'u1', name: 'Ada' },
      { userId: 'u2', name: 'Gus' },
    ];
    await drawPart(Names, signedIn({ tenants: [{ ...tenant, writers }] }));
    expect(await screen.findByText('People: Ada, Gus.')).toBeDefined();
  });

  test('waits for names on a first visit, until the server answers or fails', async () => {
    const answers: Result<UserTenant[]>[] = [
      { ok: true, value: [tenant] },
      { ok: false, error: new FixpointError('FORBIDDEN') },
    ];
    for (const one of answers) {
      localStorage.clear();
      const answer = waiting<Result<UserTenant[]>>();
      await drawPart(Loading, signedIn({ api: { listTenantsByUser: () => answer.promise } }));
      await screen.findByText('Loading');
      await answer.come(one);
      await screen.findByText('Known');
      cleanup();
    }
  });

  test('waits for no names if nobody is signed in, or if this browser knows names', async () => {
    await drawPart(Loading, appWith({}));
    await screen.findByText('Known');
    cleanup();
    localStorage.setItem('fixpoint:people:t1', JSON.stringify([['u1', { name: 'Ada' }]]));
    await drawPart(Loading, signedIn({ api: { listTenantsByUser: () => new Promise(() => undefined) } }));
    expect(await screen.findByText('Known')).toBeDefined();
  });

  test('forgets the names when the session ends', async () => {
    await answered();
    await screen.findByText('People: Ada.');
    document.body.replaceChildren();
    forgetLedgerNotes();
    await unanswered();
    expect(await screen.findByText('People: .')).toBeDefined();
  });

  test('names nobody once the server says that the user isn’t in the tenant', async () => {
    localStorage.setItem('fixpoint:people:t1', JSON.stringify([['u1', { name: 'Ada' }]]));
    await drawPart(Names, signedIn({ api: { listTenantsByUser: () => done([]) } }));
    expect(await screen.findByText('People: .')).toBeDefined();
  });

  test('names nobody if the stored names are damaged', async () => {
    localStorage.setItem('fixpoint:people:t1', '{"u1"');
    await unanswered();
    expect(await screen.findByText('People: .')).toBeDefined();
  });
});
