/** Code that loads on first use. */
export interface Lazy<T> {
  /** Loads on the first call. Forgets a failed load, because a page may be offline until later. */
  load(): Promise<T>;
  /** Returns what is loaded or loading; undefined if nobody asked for it. */
  peek(): Promise<T> | undefined;
}

export function createLazy<T>(start: () => Promise<T>): Lazy<T> {
  let loading: Promise<T> | undefined;
  return {
    load: () => {
      loading ??= start();
      loading.catch(() => {
        loading = undefined;
      });
      return loading;
    },
    peek: () => loading,
  };
}
