import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { drawPages, pageCalled, withPages } from '../ui/pages.fixture.tsx';
import { ASKED, warnWhile } from './ask-before-leaving.ts';

withPages();

const asked: string[] = [];
let isAgreed: boolean;
const ends: (() => void)[] = [];

beforeEach(() => {
  asked.length = 0;
  isAgreed = false;
  vi.stubGlobal('confirm', (question: string) => {
    asked.push(question);
    return isAgreed;
  });
});
afterEach(() => {
  for (const end of ends.splice(0)) end();
  vi.unstubAllGlobals();
});

const pages = () =>
  drawPages(
    ['/text', '/kept', '/other'].map((path) => ({ path, Component: pageCalled(path) })),
    '/text',
  );

test('asks before following a link that would lose something, and follows the link if the user agrees', async () => {
  ends.push(warnWhile((to) => to?.pathname !== '/kept', 'Leave the text?'));
  const { go, path, router } = await pages();
  await go('/kept');
  expect([path(), asked]).toEqual(['/kept', []]);
  await go('/other');
  expect([path(), asked]).toEqual(['/kept', ['Leave the text?']]);
  isAgreed = true;
  await go('/other');
  expect([path(), asked.length]).toEqual(['/other', 2]);
  await go('/other?page=2');
  await router.navigate('/text', { state: ASKED });
  expect([path(), asked.length]).toEqual(['/text', 2]);
});

test('asks about each of two parts that would lose something, in either order', async () => {
  const [first, second] = [{ isLoss: true }, { isLoss: false }];
  ends.push(
    warnWhile(() => first.isLoss, 'Leave the code?'),
    warnWhile(() => second.isLoss, 'Leave the text?'),
  );
  const { go, path } = await pages();
  await go('/other');
  [first.isLoss, second.isLoss] = [false, true];
  await go('/other');
  expect([path(), asked]).toEqual(['/text', ['Leave the code?', 'Leave the text?']]);
});

test('does not ask about work that continues while the next page is shown', async () => {
  ends.push(warnWhile(() => true));
  const { go, path } = await pages();
  await go('/other');
  expect([path(), asked]).toEqual(['/other', []]);
});
