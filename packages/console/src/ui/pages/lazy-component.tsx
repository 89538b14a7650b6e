import { type ComponentType, type ReactNode, useEffect, useState } from 'react';

/**
 * Returns a component whose script is fetched when it first renders; `waiting` renders in its place
 * until then. With `React.lazy`, React would delay the content that follows a Suspense fallback by
 * 300 ms. This component renders as soon as the script is loaded. If the script fails, the
 * surrounding boundary gets the error, and the next render fetches the script again.
 */
export function lazyComponent<P extends object>(
  load: () => Promise<ComponentType<P>>,
  waiting: (props: P) => ReactNode = () => null,
): ComponentType<P> {
  let loaded: ComponentType<P> | undefined;
  return function LazyComponent(props: P) {
    const [Shown, setShown] = useState(() => loaded);
    const [failed, setFailed] = useState<{ readonly cause: unknown } | undefined>();
    useEffect(() => {
      if (Shown !== undefined) return undefined;
      let isOver = false;
      load().then(
        (component) => {
          loaded = component;
          if (!isOver) setShown(() => component);
        },
        (cause: unknown) => !isOver && setFailed({ cause }),
      );
      return () => {
        isOver = true;
      };
    }, [Shown]);
    if (failed !== undefined) throw failed.cause;
    return Shown === undefined ? waiting(props) : <Shown {...props} />;
  };
}
