import { z } from 'zod'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

export type EtagKind = 'date' | 'revision' | 'content'

/** Declaration of an operation. Its first answer is the success. */
export interface OperationDeclaration {
  /** Placeholders of the path; a value that does not parse is a missing object (404). */
  params?: z.ZodObject
  query?: z.ZodObject
  /** Request headers that are input like the query, under snake_case names: `if_match` is `If-Match`. */
  headers?: z.ZodObject
  body?: z.ZodType
  answers: Record<number, z.ZodType>
  /**
   * Kind of the entity tag of a returned record: from its update date, from its revision if the date also moves with
   * its children, or from its content. Without a kind the record has no tag. Streams of bytes set their own tag.
   */
  etag?: EtagKind
  summary?: string
  /** Whether it can be called without a credential; an invalid credential is 401 in any case. */
  access?: 'anyone'
  /** What access tokens may do; by default any token may read, and a token that is not read-only may write. */
  by_token?: 'always' | 'never'
  /**
   * Rate limit. By default calls count against the limit of the caller. `auth` counts against the sign-in limit of the
   * client address, `polling` is free up to ten calls per second, `hourly` allows five calls per hour, `annotations`
   * adds a separate limit if one is configured, `none` is never counted.
   */
  limit?: 'auth' | 'polling' | 'hourly' | 'annotations' | 'none'
  /**
   * Seconds in which a service in another process must answer, if the default does not fit: 5 for reads, 15 for
   * changes, 600 for streams.
   */
  within?: number
  /** Path of the replacement of a deprecated operation, with the same placeholders. */
  successor?: string
  /** Method and path of the replacement of a removed operation, which responds with 410. */
  gone?: string
  /**
   * Whether the owner of the object must know if background work on it is running. It cannot call the service that does
   * that work, because calls go the other way. The gateway therefore queries that service first and passes the result
   * as `is_busy`. With `when`, only for a body that contains this key.
   */
  busy?: { target: BusyTarget; when?: string }
  /**
   * Input that the gateway adds depending on the dialect of the client.
   * Clients cannot send it, and the document does not show it.
   */
  handed?: z.ZodObject
  /** `gateway`: a handwritten route serves it, because it concerns HTTP itself. `serve.ts` of the gateway skips it. */
  by?: 'gateway'
  /**
   * Fields of a multipart form, whose files the gateway streams to the object store. An operation with a `body` accepts
   * either; the files of its form, which are small texts, become members of the body under the names of their fields.
   * An operation of the gateway also stores the files of its form, and parses the other fields itself.
   */
  form?: z.ZodObject
  /** Media type of a body of bytes that is not JSON: a chunk of a file. */
  media_type?: string
  /** Whether its file may also be sent in several requests, by the protocol of resumable uploads. */
  resumable?: true
  /**
   * Statuses of failures that do not follow from the rest of the declaration, for the document (`openapi/failures.ts`).
   */
  refuses?: readonly number[]
}

/** Objects that background work can belong to. */
export const busyTargets = ['project', 'task', 'organization'] as const
export type BusyTarget = (typeof busyTargets)[number]

/**
 * Declaration with its route. An operation with a method and a path is REST; one without is a call between services.
 */
export type OperationEntry<S extends OperationDeclaration = OperationDeclaration> = S & {
  method: Method | null
  path: string
}

/** Entry with its derived properties: the gRPC method that answers it, and the schema of its answer. */
export type Operation = OperationEntry & OperationNames
type OperationNames = {
  name: string
  service: string
  rpc: string
  success: number
  answer: z.ZodType
}
export type Operations = Record<string, Operation>

/** Input of a handler: params, query and headers by name, and the body under `body`. */
export type OperationInput<S extends OperationDeclaration> = Out<S, 'params'> &
  Out<S, 'query'> &
  Out<S, 'headers'> &
  (S['body'] extends z.ZodType<infer B> ? { body: B } : unknown) &
  Out<S, 'handed'> &
  (S['busy'] extends object ? { is_busy?: boolean } : unknown)

/** Answer of a handler; the gateway adds the links of a page. */
export type OperationAnswer<S extends OperationDeclaration> = Unpaged<
  z.output<S['answers'][keyof S['answers']]>
>

type Out<S extends OperationDeclaration, K extends 'params' | 'query' | 'headers' | 'handed'> =
  S[K] extends z.ZodType<infer T> ? T : unknown
type Unpaged<A> = A extends { next: unknown; previous: unknown } ? Omit<A, 'next' | 'previous'> : A

const entry =
  (method: Method) =>
  <const S extends OperationDeclaration>(path: string, shape: S): OperationEntry<S> => ({
    ...shape,
    method,
    path,
  })

export const get = entry('GET')
export const post = entry('POST')
export const put = entry('PUT')
export const patch = entry('PATCH')
export const del = entry('DELETE')

/**
 * Declares a call between services, without a route and without
 * documentation. Its fields are under `query`, and bytes under `body`.
 */
export const internal = <const S extends OperationDeclaration>(shape: S): OperationEntry<S> => ({
  ...shape,
  method: null,
  path: '',
})

/**
 * Builds a table: the operations of a resource, answered by one gRPC
 * service. The key is the name of handler and method.
 */
export function defineOperations<const T extends Record<string, OperationEntry>>(
  service: string,
  entries: T,
) {
  const named = Object.entries(entries).map(([name, given]) => [name, place(service, name, given)])
  return Object.fromEntries(named) as { [N in keyof T]: T[N] & OperationNames }
}

function place(service: string, name: string, given: OperationEntry): Operation {
  const [[status, schema] = ['0', z.undefined()]] = Object.entries(given.answers)
  const rpc = name.charAt(0).toUpperCase() + name.slice(1)
  return { ...given, name, service, rpc, success: Number(status), answer: unpaged(schema) }
}

function unpaged(schema: z.ZodType): z.ZodType {
  if (!isPage(schema)) return schema
  return schema.omit({ next: true, previous: true })
}

/** Returns true for a page of a list: `count`, `next`, `previous`, `results`. */
export function isPage(schema: z.ZodType): schema is z.ZodObject {
  return schema instanceof z.ZodObject && 'next' in schema.shape && 'previous' in schema.shape
}

/** Returns true for bytes, which pass through: the gateway never parses them, and no message models them. */
export function isBytes(schema: z.ZodType | undefined): boolean {
  if (!schema) return false
  const known = bytes.get(schema)
  if (known !== undefined) return known
  const found = schema.meta()?.bytes === true
  bytes.set(schema, found)
  return found
}

/**
 * Cache of `isBytes`, which runs several times per call, because the library collects metadata of a schema each time.
 */
const bytes = new WeakMap<z.ZodType, boolean>()

/** Returns true if the body or the answer is transferred in pieces of unknown total size. */
export function isStreamed({ body, answer }: Pick<Operation, 'body' | 'answer'>): boolean {
  return isBytes(body) || isBytes(answer)
}

/**
 * Returns true if the operation accepts an `Idempotency-Key`: every POST that creates an
 * object, and every change of an annotation set. Chunks of files have their offset instead.
 * A key belongs to a user, so anonymous operations do not accept one.
 */
export function takesKey(
  operation: Pick<Operation, 'method' | 'success' | 'body' | 'answer' | 'access' | 'media_type'>,
) {
  const { method, success, body, answer, access, media_type } = operation
  if (access === 'anyone' || media_type !== undefined) return false
  if (method === 'POST') return success === 201 || success === 202 || isBytes(answer)
  return (method === 'PUT' || method === 'PATCH') && isBytes(body)
}

const unscoped =
  /^\/(?:server|schema|docs|swagger|user-agreements|auth|organizations|guides|assets|requests)(?:\/|$)/

/** Returns true if a request may name the workspace that it refers to. See docs/spec/rest.md#organization-scope. */
export const isScoped = ({ path }: Pick<Operation, 'path'>): boolean => !unscoped.test(path)

/**
 * Returns the schema of the input of a handler and of its message:
 * params, query and headers by name, and the body under `body`.
 */
export function requestSchema({
  params,
  query,
  headers,
  body,
  busy,
  handed,
}: Pick<Operation, 'params' | 'query' | 'headers' | 'body' | 'busy' | 'handed'>) {
  return z.object({
    ...params?.shape,
    ...query?.shape,
    ...headers?.shape,
    ...(body && !isBytes(body) && { body }),
    ...handed?.shape,
    ...(busy && { is_busy: z.boolean().optional() }),
  })
}

/** Returns the operations of a table that a service answers, which excludes those of the gateway. */
export function listServiceOperations(table: Operations): Operation[] {
  return Object.values(table).filter((one) => one.by !== 'gateway')
}
