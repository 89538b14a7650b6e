import { FixpointError } from '@fixpoint/protocol';
import { type FireproofDatabase, fireproofDatabase } from '../fireproof/database.ts';
import { checkOptions, type FireproofOptions } from '../fireproof/options.ts';
import { isLocalUrl, placeOf, urlOfPath } from '../fireproof/store-urls.ts';
import { existingBase, folderOfUrl } from '../platform/node/existing-files.ts';
import { fixpoint } from './node.ts';

export * from './fireproof-exports.ts';

/**
 * Opens a database for an application of `@fireproof/core`. The folder is `storeUrls.base`, or else
 * the variable FP_STORAGE_URL. The first open imports an existing database of that product from the
 * same folder. If no folder is set, the import uses the product's default folder.
 * @throws FixpointError MISSING_NAME, REQUEST_INVALID, NOT_IMPLEMENTED, and the errors of invalid
 * store URLs
 */
export function fireproof(name: string, options: FireproofOptions = {}): FireproofDatabase {
  checkOptions(options);
  const variable = process.env['FP_STORAGE_URL'];
  const place = placeOf(name, options.storeUrls, isLocalUrl(variable) ? variable : undefined);
  const { base, storeKey, isBrowsers, ...mode } = place;
  if (isBrowsers === true) throw new FixpointError('REQUEST_INVALID', 'storeUrls: no IndexedDB here');
  const { url } = options.keyBag ?? {};
  const keyBag = url === undefined ? undefined : urlOfPath(String(url));
  if (keyBag !== undefined && !keyBag.startsWith('file:'))
    throw new FixpointError('REQUEST_INVALID', `keyBag.url: ${keyBag}`);
  const existing = { base: base ?? `file://${encodeURI(existingBase())}`, keyBag, storeKey };
  const directory = base === undefined ? {} : { directory: folderOfUrl(base) };
  return fireproofDatabase(
    fixpoint(name, { ...directory, ...mode, existing, commitEachWrite: true, stamps: false }),
  );
}
