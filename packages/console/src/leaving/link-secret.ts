import { useEffect, useState } from 'react';
import { useLocation, useNavigate } from 'react-router';

/** A one-time link whose secret the tab keeps while the user signs in. */
export interface KeptLink {
  /** Returns the secret; undefined when the tab keeps none. */
  read(): string | undefined;
  keep(secret: string): void;
  forget(): void;
}

export function keptLink(name: 'operator-link' | 'invite-link'): KeptLink {
  const key = `fixpoint:${name}`;
  return {
    read: () => sessionStorage.getItem(key) ?? undefined,
    keep: (secret) => sessionStorage.setItem(key, secret),
    forget: () => sessionStorage.removeItem(key),
  };
}

/**
 * Returns the secret of a one-time link, and removes it from the address, so that neither the
 * history of the browser nor a copied address contains it.
 */
export function useLinkSecret(kept: KeptLink): string | undefined {
  const { pathname, hash } = useLocation();
  const navigate = useNavigate();
  const [secret, setSecret] = useState(() => hash.slice(1) || kept.read());
  useEffect(() => {
    if (hash === '') return;
    const given = hash.slice(1);
    kept.keep(given);
    setSecret(given);
    void navigate(pathname, { replace: true });
  }, [hash, pathname, navigate, kept]);
  return secret;
}
