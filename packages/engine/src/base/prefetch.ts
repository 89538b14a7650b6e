/**
 * Yields the values of a source, and requests the next value while the caller works on the current
 * one.
 */
export async function* prefetch<T>(source: AsyncIterable<T>): AsyncGenerator<T, void> {
  const steps = source[Symbol.asyncIterator]();
  const begin = () => {
    const step = steps.next();
    // Don't report the failure as unhandled. The caller receives it when requesting this value.
    step.catch(() => undefined);
    return step;
  };
  try {
    let next = begin();
    for (;;) {
      const step = await next;
      if (step.done === true) return;
      next = begin();
      yield step.value;
    }
  } finally {
    await steps.return?.();
  }
}
