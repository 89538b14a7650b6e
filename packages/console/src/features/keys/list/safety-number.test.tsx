import { screen } from '@testing-library/react';
import { describe, expect, test } from 'vitest';
import { appWith } from '../../../cloud/app.fixture.ts';
import { drawPart, press } from '../../../cloud/part.fixture.tsx';
import { withPages } from '../../../ui/pages.fixture.tsx';
import { inGroups } from './safety-digits.ts';
import { SafetyNumber } from './safety-number.tsx';

withPages();

const NUMBER = '304827719604415918276553018264499072285173016584430697234109';

describe('a safety number', () => {
  test.each([
    ['in a line of facts', false],
    ['as the subject of a card', true],
  ])('shows its digits in groups, and compares them on request (%s)', async (_where, isLarge) => {
    await drawPart(() => <SafetyNumber number={NUMBER} isLarge={isLarge} />, appWith({}));
    expect(document.querySelector('code')?.textContent).toBe(inGroups(NUMBER));
    expect(screen.queryByRole('dialog')).toBeNull();
    await press('Compare safety number');
    await screen.findByRole('dialog', { name: 'Compare the safety number' });
    expect(screen.getByLabelText('Number of the other member')).toBeDefined();
  });
});
