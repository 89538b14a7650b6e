/** Renders one part of a cloud page, and uses this part as a user does. */
import { act, fireEvent, screen } from '@testing-library/react';
import type { ComponentType } from 'react';
import { type DrawnPages, drawPages, pageCalled } from '../ui/pages.fixture.tsx';
import type { App } from './app.ts';

/** Renders a part at `/`. All other addresses show a page called "Elsewhere". */
export const drawPart = (Part: ComponentType, parts: App): Promise<DrawnPages> =>
  drawPages(
    [
      { path: '/', Component: Part },
      { path: '*', Component: pageCalled('Elsewhere') },
    ],
    '/',
    parts,
  );

/** Waits for the button with this accessible name, and presses it. */
export async function press(name: string | RegExp): Promise<void> {
  const button = await screen.findByRole('button', { name });
  await act(async () => button.click());
}

/** Waits for the field with this label, and replaces its value. */
export async function enter(label: string, value: string): Promise<void> {
  const field = await screen.findByLabelText(label);
  await act(async () => void fireEvent.change(field, { target: { value } }));
}

/** Returns whether the page has a button with this accessible name. */
export const hasButton = (name: string | RegExp): boolean => screen.queryByRole('button', { name }) !== null;

/** Returns whether the button with this accessible name can't be pressed. */
export const isDisabled = (name: string | RegExp): boolean =>
  screen.getByRole<HTMLButtonElement>('button', { name }).disabled;
