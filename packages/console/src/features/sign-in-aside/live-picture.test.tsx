import { act, cleanup, fireEvent, render, screen, waitFor, within } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { LivePicture } from './live-picture.tsx';
import { openTwoDatabases } from './two-databases.ts';
import { SHOWN_AFTER_MS } from './use-two-databases.ts';

/** Calls the listeners of all observers, as when the picture is scrolled into view. */
let comeIntoView: () => void;
let prefersReducedMotion = true;
/** Delays of all timers. */
let delays: (number | undefined)[] = [];
const { setTimeout: later } = globalThis;

beforeEach(() => {
  const seen: (() => void)[] = [];
  comeIntoView = () => {
    for (const one of seen.splice(0)) one();
  };
  vi.stubGlobal(
    'IntersectionObserver',
    class {
      constructor(onChange: (entries: object[]) => void) {
        seen.push(() => onChange([{ isIntersecting: true }]));
      }
      observe = () => undefined;
      disconnect = () => undefined;
    },
  );
  prefersReducedMotion = true;
  vi.stubGlobal('matchMedia', () => ({ matches: prefersReducedMotion }));
  vi.stubGlobal('requestIdleCallback', (run: () => void) => run());
  vi.stubGlobal('cancelIdleCallback', () => undefined);
  delays = [];
  // The page is quiet, and the picture acts, without the usual wait.
  vi.stubGlobal('setTimeout', (run: () => void, ms?: number) => {
    delays.push(ms);
    return later(run, ms === 1000 || ms === SHOWN_AFTER_MS ? 0 : ms);
  });
});
afterEach(cleanup);

const device = (title: string) => within(screen.getByRole('region', { name: title }));
const ada = () => device('Ada’s laptop');
const grace = () => device('Grace’s phone');
type Parts = ReturnType<typeof device>;
const speakers = (parts: Parts, name: string) =>
  parts.getByRole<HTMLInputElement>('textbox', { name: `Speakers of ${name}` });
const write = (parts: Parts, name: string, text: string) =>
  act(async () => void fireEvent.change(speakers(parts, name), { target: { value: text } }));
const toggle = (parts: Parts) => act(async () => parts.getByRole('switch').click());
const becomes = (parts: Parts, name: string, text: string) =>
  waitFor(() => expect(speakers(parts, name).value).toBe(text));

async function drawLive(): Promise<void> {
  render(<LivePicture open={openTwoDatabases} />);
  act(comeIntoView);
  await waitFor(() => expect(speakers(ada(), 'Oromo').readOnly).toBe(false));
}

describe('the picture on the sign-in page', () => {
  test('shows the same languages on both devices, but accepts no text until it is in view', async () => {
    render(<LivePicture />);
    for (const parts of [ada(), grace()]) {
      expect(parts.getAllByRole('row')).toHaveLength(6);
      expect(speakers(parts, 'Uzbek').value).toBe('35,000,000');
      expect(speakers(parts, 'Uzbek').readOnly).toBe(true);
      expect(parts.getByRole<HTMLButtonElement>('switch').disabled).toBe(true);
    }
  });

  test('sends what users type on one device to the other, encrypted', async () => {
    await drawLive();
    await write(ada(), 'Kurdish', '27000001');
    await becomes(grace(), 'Kurdish', '27,000,001');
    await screen.findByText('Received from Ada just now');
    expect(ada().getByText('Saved here, then sent')).toBeDefined();
    expect(document.querySelector('code')?.textContent).toMatch(/^([0-9a-f]{8} ){5}[0-9a-f]{8}$/);
  });

  test('keeps the text as typed until the field loses the focus', async () => {
    await drawLive();
    await write(grace(), 'Oromo', '5x');
    expect(speakers(grace(), 'Oromo').value).toBe('5x');
    await becomes(ada(), 'Oromo', '5');
    await act(async () => void fireEvent.blur(speakers(grace(), 'Oromo')));
    expect(speakers(grace(), 'Oromo').value).toBe('5');
  });

  test('merges what both devices wrote while one of them was offline', async () => {
    await drawLive();
    await toggle(grace());
    expect(grace().getByText('Offline. You can still type.')).toBeDefined();
    // The visible text is part of the name in both states (WCAG 2.5.3).
    expect(grace().getByRole('switch').textContent).toBe('Online');
    await write(grace(), 'Fulah', '1');
    await grace().findByText('Saved here. Sends 1 change later.');
    await write(ada(), 'Uzbek', '2');
    await ada().findByText('Saved here, then sent');
    expect([speakers(ada(), 'Fulah').value, speakers(grace(), 'Uzbek').value]).toEqual([
      '36,500,000',
      '35,000,000',
    ]);
    await toggle(grace());
    expect(grace().getByRole('switch').getAttribute('aria-checked')).toBe('true');
    await becomes(ada(), 'Fulah', '1');
    await becomes(grace(), 'Uzbek', '2');
  });

  test('changes a number once by itself', async () => {
    prefersReducedMotion = false;
    await drawLive();
    await becomes(grace(), 'Fulah', '36,700,000');
  });

  test('changes nothing by itself for users who prefer reduced motion', async () => {
    await drawLive();
    expect(delays).not.toContain(SHOWN_AFTER_MS);
  });
});
