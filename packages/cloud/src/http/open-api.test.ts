import { answerTypeOf, REQUESTS, type RequestType } from '@fixpoint/protocol/admin';
import { describe, expect, test } from 'vitest';
import { openApiDocument } from './open-api.ts';

type Json = Record<string, unknown>;
const document = openApiDocument('https://cloud.example', '1.2.3') as Json;
const { schemas } = document['components'] as { schemas: Record<string, Json> };
const types = Object.keys(REQUESTS) as RequestType[];

function refsIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, each]) => (key === '$ref' ? [String(each)] : refsIn(each)));
}

describe('the OpenAPI document', () => {
  test('[7.2] contains each request with its answer, distinguished by their type', () => {
    for (const type of types) {
      for (const name of [type, answerTypeOf(type)]) {
        const { properties, required } = schemas[name] as { properties: Json; required: string[] };
        expect(properties['type'], name).toEqual({ const: name });
        expect(required).toContain('type');
      }
    }
    expect(Object.keys(schemas)).toHaveLength(types.length * 2 + 3);
    const { properties, required } = schemas['reqCreateTenant'] as { properties: Json; required: string[] };
    expect(required).toEqual(['type', 'auth', 'tenant']);
    expect(properties['tenant']).toMatchObject({
      required: ['name'],
      properties: { name: { minLength: 1 } },
    });
  });

  test('describes every request and each of its fields', () => {
    const undescribed: string[] = [];
    const look = (value: unknown, at: string): void => {
      if (typeof value !== 'object' || value === null) return;
      for (const [key, each] of Object.entries(value)) {
        if (key === 'properties')
          for (const [name, field] of Object.entries(each as Json))
            if (!['type', 'auth'].includes(name) && !(field as Json)['description'])
              undescribed.push(`${at}.${name}`);
        look(each, `${at}.${key}`);
      }
    };
    for (const type of types) {
      look(schemas[type], type);
      const { title, description } = schemas[type] as { title?: string; description?: string };
      expect(title?.length, type).toBeGreaterThan(5);
      expect(description?.length, type).toBeGreaterThan(20);
    }
    expect(undescribed).toEqual([]);
  });

  test('is JSON in which each reference resolves', () => {
    expect(JSON.parse(JSON.stringify(document))).toEqual(document);
    const refs = refsIn(document);
    expect(refs.length).toBeGreaterThan(types.length * 2);
    for (const ref of new Set(refs))
      expect(schemas, ref).toHaveProperty([ref.replace('#/components/schemas/', '')]);
  });

  test('requires a sign-in only where the server does', () => {
    const open = types.filter(
      (type) => !(schemas[type]?.['required'] as string[] | undefined)?.includes('auth'),
    );
    expect(open.sort()).toEqual([
      'reqApplicationCloudToken',
      'reqBeginApplicationSession',
      'reqDescribeInvite',
      'reqEndApplicationSession',
      'reqExchangeApplicationToken',
      'reqExtendToken',
      'reqListApplicationDatabases',
      'reqPollLogin',
      'reqRefreshApplicationSession',
      'reqStartLogin',
      'reqTokenByResultId',
    ]);
  });
});
