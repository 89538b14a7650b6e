const CHARS = 8;

/** Returns the end of an event's id, which identifies it for users; the beginnings are alike. */
export const eventName = (event: string): string => event.slice(-CHARS);
