/**
 * The interface of a schema by the Standard Schema convention (https://standardschema.dev), version
 * 1. Zod, Valibot, ArkType and others implement it.
 */
export interface StandardSchema<In = unknown, Out = In> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => SchemaResult<Out> | Promise<SchemaResult<Out>>;
    readonly types?: { readonly input: In; readonly output: Out } | undefined;
  };
}

export interface SchemaFailure {
  readonly issues: readonly {
    readonly message: string;
    readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
  }[];
}

export type SchemaResult<Out> = { readonly value: Out; readonly issues?: undefined } | SchemaFailure;

type Types<S> = S extends StandardSchema
  ? NonNullable<S['~standard']['types']>
  : { readonly input: never; readonly output: never };

/** The type of a valid input, such as a document without the fields that have a default. */
export type InputOf<S> = Types<S>['input'];
/** The type of the value that a schema returns for a valid input. */
export type OutputOf<S> = Types<S>['output'];
