/**
 * Builds the OpenAPI document of the HTTP interface. Its part about the admin API comes from the
 * schemas that validate requests, so it can't differ from the server.
 */
import { ADMIN_PATH, ERROR_TEXT, STORAGE_PATH } from '@fixpoint/protocol';
import { answerTypeOf, auth, isPublicRequest, REQUESTS, type RequestType } from '@fixpoint/protocol/admin';
import { requestTypes } from '@fixpoint/protocol/storage';
import { toJsonSchema } from '@valibot/to-json-schema';
import type * as v from 'valibot';
import { FIELD_DOCS } from './field-docs.ts';

type Json = { readonly [key: string]: unknown };

const refTo = (name: string): Json => ({ $ref: `#/components/schemas/${name}` });
const jsonOf = (schema: Json): Json => ({ content: { 'application/json': { schema } } });

/** Descriptions of failures by status. */
const FAILURES: Readonly<Record<string, string>> = {
  400: 'the request is not valid',
  401: 'nobody is signed in, or the token expired',
  403: 'the caller lacks the right',
  404: 'it does not exist, or the caller may not see it',
  409: 'a limit was reached, or it already exists',
  405: 'neither PUT nor POST',
  429: 'too many requests; Retry-After says when to try again',
  500: 'a fault of the server, without details',
};

/** @param url the address of this server */
export function openApiDocument(url: string, version: string): Json {
  const types = Object.keys(REQUESTS) as RequestType[];
  return {
    openapi: '3.1.0',
    info: {
      title: 'Fixpoint cloud',
      version,
      description: `Every admin request is PUT ${ADMIN_PATH} with its type in the body. Apps of another origin can call it only if the operator allows their origin.`,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url }],
    paths: {
      [ADMIN_PATH]: { put: adminCall(types) },
      [STORAGE_PATH]: { put: storageCall() },
    },
    components: {
      schemas: {
        Auth: schemaOf(auth),
        Error: errorSchema(),
        StorageError: storageErrorSchema(),
        ...adminSchemas(types),
      },
    },
  };
}

function adminCall(types: readonly RequestType[]): Json {
  return {
    operationId: 'admin',
    summary: 'Tenants, databases, members, invites and tokens',
    requestBody: { required: true, ...jsonOf(oneOf(types)) },
    responses: {
      200: {
        description: 'success; the answer has the type of the request',
        ...jsonOf(oneOf(types.map(answerTypeOf))),
      },
      ...Object.fromEntries(
        Object.entries(FAILURES).map(([status, description]) => [
          status,
          { description, ...jsonOf(refTo('Error')) },
        ]),
      ),
    },
  };
}

/** The fields that all messages have. docs/internals/gateway.md describes the other fields. */
const MESSAGE: Json = {
  type: 'object',
  properties: {
    type: { enum: requestTypes() },
    tid: { type: 'string' },
    version: { type: 'string' },
    auth: { type: 'object' },
  },
  required: ['type', 'tid'],
};

const STORAGE_FAILURES: Readonly<Record<string, string>> = {
  400: 'the message is not valid; path names the field',
  403: 'the caller may read, but not write',
  408: 'the body arrived too slowly',
  409: 'a limit was reached, there is a conflict, or objects are missing',
  411: 'no content-length',
  413: 'the message is too large',
  415: 'the content type is not application/json',
  429: 'too many messages; Retry-After says when to try again',
  500: 'kept for existing clients: unexpected message, AUTH_JWK_REQUIRED, NOT_SIGNED_IN, NO_CONNECTION, NOT_FOUND; else a fault of the server',
  503: 'the object store does not answer',
  507: 'the object store is full',
};

function storageCall(): Json {
  return {
    operationId: 'storage',
    summary: 'One message of FP-MSG-1.0',
    requestBody: { required: true, ...jsonOf(MESSAGE) },
    responses: {
      200: { description: 'the answer to the message', ...jsonOf({ type: 'object' }) },
      ...Object.fromEntries(
        Object.entries(STORAGE_FAILURES).map(([status, description]) => [
          status,
          { description, ...jsonOf(refTo('StorageError')) },
        ]),
      ),
    },
  };
}

function oneOf(names: readonly string[]): Json {
  const mapping = Object.fromEntries(names.map((name) => [name, `#/components/schemas/${name}`]));
  return { oneOf: names.map(refTo), discriminator: { propertyName: 'type', mapping } };
}

function adminSchemas(types: readonly RequestType[]): Json {
  return Object.fromEntries(
    types.flatMap((type) => {
      const { payload, answer } = REQUESTS[type];
      const credentials = isPublicRequest(type) ? {} : { auth: refTo('Auth') };
      return [
        [
          type,
          {
            title: REQUESTS[type].summary,
            ...typed(type, described(schemaOf(payload)), credentials),
            description: REQUESTS[type].description,
          },
        ],
        [
          answerTypeOf(type),
          { title: `Answer to ${type}`, ...typed(answerTypeOf(type), schemaOf(answer), {}) },
        ],
      ];
    }),
  );
}

/** Returns the schema with a description for each field, at any depth. */
function described<S extends Json>(schema: S): S {
  const of = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(of);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, each]) => [
        key,
        key === 'properties' ? ofFields(each as Json) : of(each),
      ]),
    );
  };
  const ofFields = (fields: Json) =>
    Object.fromEntries(
      Object.entries(fields).map(([name, field]) => [
        name,
        { ...(of(field) as Json), ...(Object.hasOwn(FIELD_DOCS, name) && { description: FIELD_DOCS[name] }) },
      ]),
    );
  return of(schema) as S;
}

interface ObjectSchema extends Json {
  readonly properties?: Json;
  readonly required?: readonly string[];
}

/**
 * Adds `type` and the properties in `more` to the schema of an object. All of them are required.
 */
function typed(type: string, schema: ObjectSchema, more: Json): Json {
  return {
    ...schema,
    properties: { type: { const: type }, ...more, ...schema.properties },
    required: ['type', ...Object.keys(more), ...(schema.required ?? [])],
  };
}

const PATH: Json = { type: 'string', description: 'The field that is wrong, such as `tenant.name`.' };

function errorSchema(): Json {
  return {
    type: 'object',
    properties: {
      type: { const: 'error' },
      code: { enum: Object.keys(ERROR_TEXT) },
      message: { type: 'string' },
      path: PATH,
      error: { type: 'string' },
    },
    required: ['type', 'message', 'error'],
  };
}

/** A refusal of the storage gateway. */
function storageErrorSchema(): Json {
  return {
    type: 'object',
    properties: {
      type: { const: 'error' },
      tid: { type: 'string', description: 'Of the request; `internal` when it has none.' },
      code: { enum: Object.keys(ERROR_TEXT) },
      message: { type: 'string' },
      path: PATH,
      retryAfter: { type: 'number', description: 'With RATE_LIMITED: seconds to wait.' },
    },
    required: ['type', 'tid', 'message'],
  };
}

/**
 * Returns a schema as JSON Schema, for values as clients send them. Omits checks that JSON Schema
 * can't express; the server still performs them.
 */
function schemaOf(schema: v.GenericSchema): ObjectSchema {
  const options = { typeMode: 'input', target: 'draft-2020-12', errorMode: 'ignore' } as const;
  const { $schema: _, ...made } = toJsonSchema(schema, options);
  return made as ObjectSchema;
}
