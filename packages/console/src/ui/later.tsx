import { type ComponentType, type ReactNode, useEffect, useState } from 'react';

/**
 * A component whose script is fetched when it is first drawn; what `waiting` gives stands in its place until then. Unlike `React.lazy` it is drawn at once when the script is there
 * already, and as soon as it comes: React holds back for 300 ms what follows the fallback of a Suspense. A script that does not come is an error for the boundary
 * around it, and is fetched again when it is drawn again.
 */
export function later<P extends object>(
  load: () => Promise<ComponentType<P>>,
  waiting: (props: P) => ReactNode = () => null,
): ComponentType<P> {
  let loaded: ComponentType<P> | undefined;
  return function Later(props: P) {
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
