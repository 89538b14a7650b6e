/** The page of an application of another origin: signs people in and writes notes. */
import { createSession } from 'fixpoint/session';

const settings = new URLSearchParams(localStorage.getItem('settings') ?? '');
const session = createSession({
  base: settings.get('base') ?? 'http://localhost',
  app: settings.get('app') ?? 'none',
});

const page = {
  session,
  /** Opens the first database, writes a note, and returns all titles once they are synced. */
  write: async (title: string): Promise<string[]> => {
    const [first] = await session.databases();
    const { database, attached } = await session.open(String(first?.ledgerId), { kind: 'open-key' });
    await database.put({ title });
    await attached.synced();
    const { docs } = await database.find<{ title: string }>();
    return docs.map((doc) => doc.title).sort();
  },
};
export type AppPage = typeof page;

const button = document.createElement('button');
button.textContent = 'Sign in with a window';
button.addEventListener('click', () => void session.signIn({ popup: true }));
document.body.append(button);
Object.assign(window, { page });
