/** Code that loads on first use. */
export interface Lazy<T> {
  /**
   * Loads on the first call. Forgets a failed load, because the next call may succeed, for example
   * when the page is online again.
   */
  load(): Promise<T>;
  /** Returns the finished or running load; undefined if `load` wasn't called. */
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
