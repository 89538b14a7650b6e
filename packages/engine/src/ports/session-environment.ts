/** The page on which a session runs. */
export interface SessionEnvironment {
  /** Address of the page. */
  address(): string;
  /** Replaces the address of the page, without loading anything. */
  replaceAddress(url: string): void;
  /** Leaves the page. */
  leaveTo(url: string): void;
  /**
   * Opens an empty window; undefined if the browser blocks it. Call it while a click is handled.
   */
  openWindow(): SessionWindow | undefined;
  /** Closes the window of this page. */
  closeWindow(): void;
  /** Reads text that all pages of this origin share. */
  read(key: string): string | undefined;
  /** Stores text; undefined removes it. */
  write(key: string, text: string | undefined): void;
  /**
   * Calls back when another page of this origin changed a text. Returns a function that stops this.
   */
  onWritten(listener: (key: string) => void): () => void;
  /** Runs work while no other page of this origin runs work with the same name. */
  alone<T>(name: string, work: () => Promise<T>): Promise<T>;
  /** Returns random bytes as base64url. */
  secret(bytes: number): string;
  /** Returns the SHA-256 of a text as base64url. */
  hash(text: string): Promise<string>;
  /** Returns the time in milliseconds. */
  now(): number;
  /** Calls back once, after some milliseconds. */
  after(ms: number, work: () => void): void;
  /**
   * Sends JSON to a server and returns its answer. Rejects when the server can't be reached, or
   * doesn't answer for some seconds.
   */
  post(url: string, body: object): Promise<{ readonly status: number; readonly body: unknown }>;
}

/** A window that {@link SessionEnvironment.openWindow} opened. */
interface SessionWindow {
  /** Returns false if the person has closed the window. */
  leadTo(url: string): boolean;
  close(): void;
}
