import { act, cleanup, render, screen } from '@testing-library/react';
import { Component, type ReactNode } from 'react';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { lazyComponent } from './lazy-component.tsx';

afterEach(cleanup);

type Script = (props: { name: string }) => ReactNode;
const Greeting: Script = ({ name }) => <p>Hello {name}</p>;

/** Returns a component. The test decides when its script arrives or fails. */
function lazy() {
  const loads: { resolve(script: Script): void; reject(cause: Error): void }[] = [];
  const Lazy = lazyComponent<{ name: string }>(
    () => new Promise((resolve, reject) => loads.push({ resolve, reject })),
    ({ name }) => <p>Waiting for {name}</p>,
  );
  return {
    Lazy,
    loads,
    arrive: (at = 0) => act(async () => loads[at]?.resolve(Greeting)),
    fail: (at = 0) => act(async () => loads[at]?.reject(new TypeError('no script'))),
  };
}

class Boundary extends Component<{ children: ReactNode }, { failed: Error | undefined }> {
  override state = { failed: undefined as Error | undefined };
  static getDerivedStateFromError = (failed: Error) => ({ failed });
  override render() {
    return this.state.failed === undefined ? this.props.children : <p>Failed: {this.state.failed.message}</p>;
  }
}

const text = () => document.body.textContent;

describe('a component that is loaded later', () => {
  test('shows a placeholder with the same properties until its script arrives', async () => {
    const { Lazy, arrive } = lazy();
    render(<Lazy name="Ada" />);
    expect(text()).toBe('Waiting for Ada');
    await arrive();
    expect(text()).toBe('Hello Ada');
  });

  test('renders at once the next time, without another load', async () => {
    const { Lazy, arrive, loads } = lazy();
    const { unmount } = render(<Lazy name="Ada" />);
    await arrive();
    unmount();
    render(<Lazy name="Bob" />);
    expect([text(), loads.length]).toEqual(['Hello Bob', 1]);
  });

  test('loads no script before it renders', () => {
    const { Lazy, loads } = lazy();
    expect(loads).toHaveLength(0);
    render(<Lazy name="Ada" />);
    expect(loads).toHaveLength(1);
  });

  test('passes a failure to the surrounding boundary, and loads again on the next render', async () => {
    vi.spyOn(console, 'error').mockReturnValue(undefined);
    const { Lazy, fail, arrive } = lazy();
    const { unmount } = render(
      <Boundary>
        <Lazy name="Ada" />
      </Boundary>,
    );
    await fail();
    expect(screen.getByText('Failed: no script')).toBeDefined();
    unmount();
    render(<Lazy name="Ada" />);
    await arrive(1);
    expect(text()).toBe('Hello Ada');
    vi.restoreAllMocks();
  });

  test('is ready for the next page when its script arrives after the user left', async () => {
    const { Lazy, arrive, loads } = lazy();
    const { unmount } = render(<Lazy name="Ada" />);
    unmount();
    await arrive();
    render(<Lazy name="Bob" />);
    expect([text(), loads.length]).toEqual(['Hello Bob', 1]);
  });
});
