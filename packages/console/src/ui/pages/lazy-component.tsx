import { type ComponentType, type ReactNode, useEffect, useState } from 'react';

/**
 * Returns a component whose script is fetched when it first renders; `waiting` renders in its place
 * until then. Unlike `React.lazy`, it renders at once when the script is loaded, and as soon as it
 * arrives: React delays what follows a Suspense fallback by 300 ms. A failed script is an error for
 * the surrounding boundary, and is fetched again on the next render.
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
