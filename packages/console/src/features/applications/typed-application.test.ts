import { FixpointError } from '@fixpoint/protocol';
import type { Application } from '@fixpoint/protocol/admin';
import { describe, expect, test } from 'vitest';
import { missingIn, NOTHING_TYPED, problemOf, settingsOf, typedFrom } from './typed-application.ts';

const NOTES = {
  name: 'Notes',
  origins: ['https://a.example', 'http://localhost:5173'],
  redirectUrls: ['https://a.example/in', 'http://localhost:5173/'],
  issuer: null,
};
const ISSUER = { issuer: 'https://id.example/', jwksUrl: 'https://id.example/keys', audience: 'fixpoint' };

describe('settings from typed texts', () => {
  test('returns to what was typed, after settings became texts', () => {
    const { issuer, ...stored } = NOTES;
    expect(settingsOf(typedFrom(stored as unknown as Application))).toEqual(NOTES);
    const own = { ...stored, issuer: ISSUER };
    expect(settingsOf(typedFrom(own as unknown as Application))).toEqual(own);
  });

  test('drops spaces, empty lines and repeated lines, and takes commas as separators', () => {
    const typed = {
      ...NOTHING_TYPED,
      name: ' Notes ',
      origins: '\n https://a.example \r\n\nhttps://b.example,https://a.example',
      redirectUrls: '',
    };
    expect(settingsOf(typed)).toMatchObject({
      name: 'Notes',
      origins: ['https://a.example', 'https://b.example'],
    });
  });

  test('removes the slash that a pasted origin ends with, and nothing else', () => {
    const origins = ['https://a.example/', 'https://b.example/x/', 'https://c.example//', 'b/'].join('\n');
    expect(settingsOf({ ...NOTHING_TYPED, origins }).origins).toEqual([
      'https://a.example',
      'https://b.example/x/',
      'https://c.example//',
      'b/',
    ]);
  });

  test('fills in the start page of each origin when no redirect URL is typed', () => {
    const settings = settingsOf({
      ...NOTHING_TYPED,
      origins: 'https://a.example/\nhttps://a.example',
      redirectUrls: ' \n',
    });
    expect(settings.redirectUrls).toEqual(['https://a.example/']);
  });

  test('keeps the slash at the end of a redirect URL', () => {
    const typed = { ...NOTHING_TYPED, origins: 'https://a.example', redirectUrls: 'https://a.example/' };
    expect(settingsOf(typed).redirectUrls).toEqual(['https://a.example/']);
  });
});

describe('required fields', () => {
  test('reports the first empty field', () => {
    expect(missingIn(settingsOf(NOTHING_TYPED))?.field).toBe('name');
    expect(missingIn(settingsOf({ ...NOTHING_TYPED, name: 'N', origins: ' \n ' }))?.field).toBe('origins');
    expect(missingIn(NOTES)).toBeUndefined();
    expect(missingIn({ ...NOTES, issuer: ISSUER })).toBeUndefined();
    for (const field of ['issuer', 'jwksUrl', 'audience'] as const)
      expect(missingIn({ ...NOTES, issuer: { ...ISSUER, [field]: '' } })?.field).toBe(field);
  });
});

describe('a rejection by the server', () => {
  const problem = (cause: string) =>
    problemOf(new FixpointError('REQUEST_INVALID', undefined, { cause }), NOTES);

  test('names the item of a list that was rejected', () => {
    expect(problem('request is not valid: origins.1 must be an origin such as https://app.example')).toEqual({
      field: 'origins',
      text: 'http://localhost:5173 must be an origin such as https://app.example.',
    });
    expect(problem('request is not valid: redirectUrls.0 must belong to one of the origins')).toEqual({
      field: 'redirectUrls',
      text: 'https://a.example/in must belong to one of the origins.',
    });
  });

  test('belongs to its field, also without an item', () => {
    expect(problem('request is not valid: origins must not contain the origin of this server')).toEqual({
      field: 'origins',
      text: 'Each origin must not contain the origin of this server.',
    });
    expect(problem('request is not valid: name is required').field).toBe('name');
    expect(problem('request is not valid: issuer.jwksUrl must be a whole https address')).toEqual({
      field: 'jwksUrl',
      text: 'Address of the keys must be a whole https address.',
    });
  });

  test('belongs to no field if it names none', () => {
    expect(problem('CONFLICT')).toEqual({ text: 'CONFLICT' });
    expect(problem('request is not valid: tenantId must be a string').field).toBeUndefined();
  });
});
