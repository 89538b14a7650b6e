import { afterEach, describe, expect, test } from 'vitest';
import { basePath, pathBelowBase, serverUrl, storageBase, wholePath } from './base-path.ts';

afterEach(() => void delete document.documentElement.dataset['base']);

describe('a console below a path', () => {
  test('adds the path of the page to links, and removes it from addresses', () => {
    document.documentElement.dataset['base'] = '/fix/point';
    expect(wholePath('/docs/index.html')).toBe('/fix/point/docs/index.html');
    expect(pathBelowBase('/fix/point/fp/cloud')).toBe('/fp/cloud');
    expect(pathBelowBase('/fix/point')).toBe('/');
    expect(pathBelowBase('/fix/pointed/fp')).toBeUndefined();
    expect(pathBelowBase('/fp/cloud')).toBeUndefined();
    expect(serverUrl()).toBe(`${location.origin}/fix/point`);
    expect(storageBase()).toBe(`${location.origin}/fix/point/fp`);
  });

  test('changes nothing at the root of a host', () => {
    expect(basePath()).toBe('');
    expect(wholePath('/docs/index.html')).toBe('/docs/index.html');
    expect(pathBelowBase('/fp/cloud')).toBe('/fp/cloud');
    expect(pathBelowBase('/')).toBe('/');
    expect(storageBase()).toBe(location.origin);
  });
});
