interface Runtime {
  getBuiltinModule?(name: string): unknown;
}

/**
 * Returns a built-in module, or undefined if the runtime has no such module. Unlike an import,
 * bundlers for the browser ignore this call.
 */
export function builtin(name: string): unknown {
  return (globalThis as { process?: Runtime }).process?.getBuiltinModule?.(name);
}
