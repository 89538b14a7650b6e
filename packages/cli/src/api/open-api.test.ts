import { Validator } from '@seriousme/openapi-schema-validator';
import { describe, expect, test } from 'vitest';
import { NAME, newApi } from './api.fixture.ts';
import { openApiDocument } from './open-api.ts';
import { ROUTES, routesAt } from './routes.ts';
import { SCHEMAS } from './schemas.ts';

describe('the OpenAPI document', () => {
  test('is valid, and names neither the database nor its folder', async () => {
    const { api, send } = await newApi();
    const text = await (await send('GET', '/openapi.json')).text();
    expect(text.includes(NAME)).toBe(false);
    const document = JSON.parse(text) as Record<string, unknown>;
    expect(await new Validator().validate(document)).toMatchObject({ valid: true });
    expect(document).toMatchObject({ info: { version: '1.2.3' }, servers: [{ url: api.url }] });
    const broken = { ...document, paths: { '/x': { get: { responses: 1 } } } };
    expect(await new Validator().validate(broken)).toMatchObject({ valid: false });
  });

  test('describes every request with its token, its errors and existing schemas', () => {
    const document = openApiDocument('http://127.0.0.1:1', '1.0.0');
    const paths = document['paths'] as Record<string, Record<string, Record<string, unknown>>>;
    for (const [id, { path, method, access }] of Object.entries(ROUTES)) {
      const operation = paths[path]?.[method.toLowerCase()];
      expect(operation).toMatchObject({ operationId: id, summary: expect.any(String) });
      expect(operation?.['security']).toEqual(access === 'open' ? [] : undefined);
      expect(Object.keys(operation?.['responses'] as object)).toEqual(
        expect.arrayContaining(['400', '401', '403']),
      );
    }
    const used = [...JSON.stringify(document).matchAll(/#\/components\/schemas\/(\w+)/g)].map(
      ([, name]) => name,
    );
    expect(new Set(used)).toEqual(new Set(Object.keys(SCHEMAS)));
  });

  test('is the only source of paths', () => {
    expect(routesAt('/documents/a').map(({ id, documentId }) => [id, documentId])).toEqual([
      ['getDocument', 'a'],
      ['putDocument', 'a'],
      ['deleteDocument', 'a'],
    ]);
    for (const path of [
      '',
      '/',
      '/documents/',
      '/documents/a/',
      '/Documents',
      '/documents/{id}/x',
      '/changes/stream/',
    ])
      expect(routesAt(path), path).toEqual([]);
  });
});
