import { FixpointError } from '@fixpoint/protocol';
import type { AdminClient, Application } from '@fixpoint/protocol/admin';
import { screen, waitFor, within } from '@testing-library/react';
import { describe, expect, test } from 'vitest';
import { done, refused, refusedWith, signedIn } from '../../cloud/app.fixture.ts';
import { drawPart, enter, hasButton, press } from '../../cloud/part.fixture.tsx';
import { withPages } from '../../ui/pages.fixture.tsx';
import { ApplicationsCard } from './applications-card.tsx';

withPages();

const NOTES: Application = {
  applicationId: 'a1',
  tenantId: 't1',
  name: 'Field notes',
  origins: ['https://notes.example', 'http://localhost:5173'],
  redirectUrls: ['https://notes.example/in', 'http://localhost:5173/'],
  createdAt: '2026-11-01T12:00:00Z',
  updatedAt: '2026-11-01T12:00:00Z',
};

/** Returns what the server stores. */
const storedFrom = ({ issuer, ...settings }: Partial<Omit<Application, 'issuer'>> & { issuer?: unknown }) =>
  ({ ...NOTES, ...settings, ...(issuer !== null && { issuer }) }) as Application;

/** Renders the card for a server that has these applications, and records the requests. */
async function card(first: readonly Application[], api: Partial<AdminClient> = {}) {
  let known = first;
  const sent: unknown[] = [];
  const parts = signedIn({
    session: { account: () => Promise.resolve({ confirm: { byPassword: async () => done(undefined) } }) },
    api: {
      listApplications: () => done([...known]),
      createApplication: (settings) => {
        sent.push(settings);
        const application = storedFrom({ ...settings, applicationId: 'a2' });
        known = [...known, application];
        return done(application);
      },
      updateApplication: (settings) => {
        sent.push(settings);
        const application = storedFrom(settings);
        known = known.map((each) => (each.applicationId === settings.applicationId ? application : each));
        return done(application);
      },
      deleteApplication: ({ applicationId }) => {
        sent.push(applicationId);
        known = known.filter((each) => each.applicationId !== applicationId);
        return done(applicationId);
      },
      ...api,
    },
  });
  await drawPart(() => <ApplicationsCard tenantId="t1" />, parts);
  return sent;
}

const rows = async () =>
  within(await screen.findByRole('list', { name: 'Applications' })).getAllByRole('listitem');
const alerts = async () => (await screen.findAllByRole('alert')).map(({ textContent }) => textContent);

describe('the card of applications', () => {
  test('lists each app with its origins and its id', async () => {
    await card([NOTES]);
    const [row] = await rows();
    expect(row?.textContent).toContain('https://notes.example, http://localhost:5173');
    expect(within(row as HTMLElement).getByText('a1')).toBeDefined();
  });

  test('says what a registration is for when there are no apps', async () => {
    await card([]);
    await screen.findByText('No applications yet. Register an app, so that its users can sign in.');
  });

  test('shows markup in a name as text', async () => {
    await card([{ ...NOTES, name: '<img src=x>' }]);
    expect((await rows())[0]?.textContent).toContain('<img src=x>');
    expect(document.querySelector('img')).toBeNull();
  });
});

describe('registering an app', () => {
  test('sends what was typed, then shows code with the new id, and lists the app', async () => {
    const sent = await card([]);
    await press('Register an application');
    await enter('Name', 'Board');
    await enter('Origins', 'https://board.example/');
    await press('Register');
    await screen.findByRole('dialog', { name: 'Board is registered' });
    expect(screen.getByText(/createSession\(\{/).textContent).toContain("app: 'a2'");
    expect(sent).toEqual([
      {
        tenantId: 't1',
        name: 'Board',
        origins: ['https://board.example'],
        redirectUrls: ['https://board.example/'],
        issuer: null,
      },
    ]);
    await press('Done');
    expect((await rows())[0]?.textContent).toContain('Board');
  });

  test('requires a name and an origin, and sends nothing without them', async () => {
    const sent = await card([]);
    await press('Register an application');
    await press('Register');
    expect(await alerts()).toEqual(['Name is required']);
    await enter('Name', 'Board');
    await press('Register');
    expect(await alerts()).toEqual(['Enter at least one origin.']);
    expect(document.activeElement).toBe(screen.getByLabelText('Origins'));
    expect(sent).toEqual([]);
  });

  test('shows below the field which address the server rejects, and keeps what was typed', async () => {
    const why = 'request is not valid: redirectUrls.0 must belong to one of the origins';
    await card([], { createApplication: () => refusedWith(why) });
    await press('Register an application');
    await enter('Name', 'Board');
    await enter('Origins', 'https://board.example');
    await enter('Redirect URLs', 'https://evil.example/');
    await press('Register');
    expect(await alerts()).toEqual(['https://evil.example/ must belong to one of the origins.']);
    const field = screen.getByLabelText<HTMLTextAreaElement>('Redirect URLs');
    expect([field.value, field.getAttribute('aria-invalid')]).toEqual(['https://evil.example/', 'true']);
    await enter('Redirect URLs', '');
    expect(screen.queryByRole('alert')).toBeNull();
  });

  test('registers the issuer of an app that signs in its users itself', async () => {
    const sent = await card([]);
    await press('Register an application');
    await enter('Name', 'Board');
    await enter('Origins', 'https://board.example');
    await enter('Issuer', 'https://id.example/');
    await press('Register');
    expect(await alerts()).toEqual(['Address of the keys is required']);
    await enter('Address of the keys', 'https://id.example/keys');
    await enter('Audience', 'fixpoint');
    await press('Register');
    await screen.findByRole('dialog', { name: 'Board is registered' });
    const issuer = {
      issuer: 'https://id.example/',
      jwksUrl: 'https://id.example/keys',
      audience: 'fixpoint',
    };
    expect(sent).toMatchObject([{ issuer }]);
    expect(screen.getByText(/createSession/).textContent).toContain('token: ');
  });

  test('keeps the fields of the issuer open while people clear one of them', async () => {
    const issuer = { issuer: 'https://id.example/', jwksUrl: 'https://id.example/keys', audience: 'a' };
    await card([{ ...NOTES, issuer }]);
    await press('Change Field notes');
    const fields = (await screen.findByText('The app signs in its users itself')).closest('details');
    expect(fields?.open).toBe(true);
    await enter('Issuer', '');
    expect(fields?.open).toBe(true);
    await press('Save');
    expect(await alerts()).toEqual(['Issuer is required']);
    await enter('Issuer', 'https://id.example/');
    expect(fields?.open).toBe(true);
  });

  test('says what to do at the limit', async () => {
    await card([], { createApplication: () => refused(new FixpointError('LIMIT_REACHED')) });
    await press('Register an application');
    await enter('Name', 'Board');
    await enter('Origins', 'https://board.example');
    await press('Register');
    expect((await alerts())[0]).toMatch(/limit.*ask the operator/i);
  });

  test('asks for the password after a sign-in long ago, and then registers', async () => {
    let tries = 0;
    await card([], {
      createApplication: (settings) => {
        tries += 1;
        return tries === 1 ? refused(new FixpointError('CONFIRM_IDENTITY')) : done(storedFrom(settings));
      },
    });
    await press('Register an application');
    await enter('Name', 'Board');
    await enter('Origins', 'https://board.example');
    await press('Register');
    await enter('Your password', 'secret');
    await press('Confirm');
    await screen.findByRole('dialog', { name: 'Board is registered' });
    expect(tries).toBe(2);
  });
});

describe('changing an app', () => {
  test('begins with its settings, and sends all of them', async () => {
    const sent = await card([NOTES]);
    await press('Change Field notes');
    const field = await screen.findByLabelText<HTMLTextAreaElement>('Origins');
    expect(field.value).toBe('https://notes.example\nhttp://localhost:5173');
    await enter('Name', 'Notes');
    await press('Save');
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    const { tenantId, applicationId, origins, redirectUrls } = NOTES;
    expect(sent).toEqual([{ tenantId, applicationId, name: 'Notes', origins, redirectUrls, issuer: null }]);
    await screen.findByRole('button', { name: 'Change Notes' });
  });
});

describe('deleting an app', () => {
  test('deletes after a question that says who loses what', async () => {
    const sent = await card([NOTES]);
    await press('Delete Field notes');
    const question = await screen.findByRole('dialog', { name: 'Delete Field notes?' });
    expect(question.textContent).toContain('Everybody is signed out of the app');
    expect(sent).toEqual([]);
    await press('Delete application');
    await screen.findByText('Field notes deleted.');
    await screen.findByText(/No applications yet/);
    expect(sent).toEqual(['a1']);
  });

  test('deletes nothing after Cancel', async () => {
    const sent = await card([NOTES]);
    await press('Delete Field notes');
    await press('Cancel');
    await waitFor(() => expect(hasButton('Delete application')).toBe(false));
    expect(sent).toEqual([]);
  });
});
