import { screen, within } from '@testing-library/react';
import { afterEach, describe, expect, test } from 'vitest';
import { drawPages, withPages } from '../../ui/pages.fixture.tsx';
import { QUOTES } from '../sign-in-aside/sign-in-aside.tsx';
import { SignInFrame, type SignInFrameProps } from './sign-in-frame.tsx';

withPages();
afterEach(() => {
  delete document.documentElement.dataset['mounted'];
});

const frame = (given: Partial<SignInFrameProps> = {}) =>
  drawPages(
    [
      {
        path: '/',
        Component: () => (
          <SignInFrame title="Log in" {...given}>
            <button type="button">Continue</button>
          </SignInFrame>
        ),
      },
    ],
    '/',
  );
const reports = async () => {
  const aside = within(screen.getByRole('complementary', { name: 'Why Fixpoint' }));
  await aside.findAllByRole('figure');
  return aside;
};

describe('the frame of the sign-in pages', () => {
  test('has one heading, the page’s title, and the form below it', async () => {
    await frame({ lead: 'Enter your email.' });
    expect(screen.getAllByRole('heading').map(({ textContent }) => textContent)).toEqual(['Log in']);
    const main = within(screen.getByRole('main'));
    expect(main.getByRole('button', { name: 'Continue' })).toBeDefined();
    expect(main.getByText('Enter your email.')).toBeDefined();
  });

  test('keeps the title as the heading for screen readers when it shows a headline', async () => {
    await frame({ headline: 'A document database' });
    expect(screen.getByRole('heading', { level: 1 }).textContent).toBe('Log in');
    expect(screen.getByText('A document database').tagName).toBe('P');
  });

  test('puts the form before the quotes, also for the Tab key', async () => {
    await frame();
    const form = screen.getByRole('button', { name: 'Continue' });
    const [first] = (await reports()).getAllByRole('link');
    expect(form.compareDocumentPosition(first as Node)).toBe(Node.DOCUMENT_POSITION_FOLLOWING);
  });

  test('quotes each report in full, with its figure and a link to it', async () => {
    await frame();
    const figures = (await reports()).getAllByRole('figure');
    expect(figures).toHaveLength(QUOTES.length);
    for (const [at, { text, figure, about, page }] of QUOTES.entries()) {
      const shown = within(figures[at] as HTMLElement);
      expect(shown.getByText(`“${text}”`).tagName).toBe('BLOCKQUOTE');
      expect(shown.getByText(about).parentElement?.textContent).toBe(`${figure}${about}`);
      const link = shown.getByRole('link', { name: 'Read the test report' });
      expect(link.getAttribute('href')).toBe(`/docs/${page}`);
    }
  });

  test('shows the picture above shorter quotes on the page with the headline', async () => {
    await frame({ headline: 'A document database' });
    const aside = await reports();
    const picture = aside.getByRole('region', { name: 'Two databases that sync' });
    const [first] = aside.getAllByRole('figure');
    expect(picture.compareDocumentPosition(first as Node)).toBe(Node.DOCUMENT_POSITION_FOLLOWING);
    const [link] = aside.getAllByRole('link', { name: 'Test report' });
    expect(link?.parentElement?.textContent).toBe('5,344 forced kills, November 2026. Test report');
  });

  test('links the documentation where the console is served', async () => {
    document.documentElement.dataset['mounted'] = '';
    await frame();
    for (const link of (await reports()).getAllByRole('link'))
      expect(link.getAttribute('href')).toMatch(/^\/fp\/docs\/benchmarks\//);
  });

  test('leads to the start page and to pages about the product, which open in another tab', async () => {
    await frame();
    expect(screen.getByRole('link', { name: 'Fixpoint' }).getAttribute('href')).toBe('/');
    const links = within(screen.getByRole('navigation', { name: 'About Fixpoint' })).getAllByRole('link');
    expect(
      links.map((one) => [one.textContent, one.getAttribute('target'), one.getAttribute('rel')]),
    ).toEqual([
      ['Documentation', '_blank', 'noreferrer'],
      ['Blog', '_blank', 'noreferrer'],
      ['Community', '_blank', 'noreferrer'],
    ]);
  });
});
