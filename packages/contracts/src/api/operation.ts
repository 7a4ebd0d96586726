import { z } from 'zod'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** What the table says about one operation. The first answer is the success. */
export interface Shape {
  /** Placeholders of the path; a value that does not parse is no such object (404). */
  params?: z.ZodObject
  query?: z.ZodObject
  /** Request headers that are input like the query, under snake_case names: `if_match` is `If-Match`. */
  headers?: z.ZodObject
  body?: z.ZodType
  answers: Record<number, z.ZodType>
  summary?: string
  /** Who may call it without a credential: `anyone`; a credential that is sent and wrong is 401 all the same. */
  access?: 'anyone'
  /** What an access token may do here; default: reading for every token, writing for one that is not read only. */
  by_token?: 'always' | 'never'
  /**
   * Calls are counted against the limit of the caller (`spec/api-annotations.md` 6.1), but: `auth` counts against that of
   * its address for signing in, `polling` is free up to ten a second, `hourly` may be called five times an hour,
   * `annotations` has a limit beside the caller's where one is set, `none` is never counted.
   */
  limit?: 'auth' | 'polling' | 'hourly' | 'annotations' | 'none'
  /**
   * Seconds until a service in another process must have answered, where the rule of its kind does not fit: 5 for
   * reading, 15 for changes, 600 for streams (`reliability.md` 14).
   */
  within?: number
  /** What to call instead of this, which is kept for old clients: a path, with the placeholders of its own. */
  successor?: string
  /** What to call instead of this, which is no more and answers 410: method and path. */
  gone?: string
  /**
   * Its owner has to know whether background work of an object is under way, and cannot ask who does that work, since that
   * one asks it: the gateway asks before it calls, and hands the answer in as `is_busy`. With `when` only for a body that
   * names this key.
   */
  busy?: { target: BusyTarget; when?: string }
  /**
   * What the gateway adds to the input by what its client speaks, where that means something else there: no client sends it,
   * and the document does not show it.
   */
  handed?: z.ZodObject
  /** `gateway`: HTTP itself is the subject, a handwritten route answers; `serve.ts` skips the row. */
  by?: 'gateway'
  /**
   * Bodies of this kind are multipart forms, streamed to the object store by the gateway. Beside a `body`: either of them,
   * and the files of the form, which are small texts, are members of the body under the names of their fields. A row of the
   * gateway's own stores the files of its forms all the same, and reads what else is sent.
   */
  form?: z.ZodObject
  /** Media type of a body of bytes that is no JSON: a piece of a file. */
  media_type?: string
  /** Its file may also come in several requests, by the protocol of resumable uploads (`spec/api-annotations.md` 2.4). */
  resumable?: true
  /** Statuses of failures that nothing else of the row tells of: for the documents (`openapi/failures.ts`). */
  refuses?: readonly number[]
}

/** What background work may be about. */
export const busyTargets = ['project', 'task', 'organization'] as const
export type BusyTarget = (typeof busyTargets)[number]

/** A row with a method and a path is REST; one without is a call between services. */
export type Entry<S extends Shape = Shape> = S & { method: Method | null; path: string }

/** An entry with what follows from its place: the gRPC method that answers it, and what that method answers. */
export type Operation = Entry & Place
type Place = { name: string; service: string; rpc: string; success: number; answer: z.ZodType }
export type Operations = Record<string, Operation>

/** What a handler gets: params, query and headers by name, the body under `body`. */
export type Input<S extends Shape> = Out<S, 'params'> &
  Out<S, 'query'> &
  Out<S, 'headers'> &
  (S['body'] extends z.ZodType<infer B> ? { body: B } : unknown) &
  Out<S, 'handed'> &
  (S['busy'] extends object ? { is_busy?: boolean } : unknown)

/** What a handler answers; the links of a page are the gateway's business. */
export type Answer<S extends Shape> = Unpaged<z.output<S['answers'][keyof S['answers']]>>

type Out<S extends Shape, K extends 'params' | 'query' | 'headers' | 'handed'> =
  S[K] extends z.ZodType<infer T> ? T : unknown
type Unpaged<A> = A extends { next: unknown; previous: unknown } ? Omit<A, 'next' | 'previous'> : A

const entry =
  (method: Method) =>
  <const S extends Shape>(path: string, shape: S): Entry<S> => ({ ...shape, method, path })

export const get = entry('GET')
export const post = entry('POST')
export const put = entry('PUT')
export const patch = entry('PATCH')
export const del = entry('DELETE')

/** A call between services: no route, no page of the documentation. Its fields stand under `query`, bytes under `body`. */
export const internal = <const S extends Shape>(shape: S): Entry<S> => ({
  ...shape,
  method: null,
  path: '',
})

/** One table: the operations of a resource, answered by one gRPC service. The key is the name of handler and method. */
export function operations<const T extends Record<string, Entry>>(service: string, entries: T) {
  const named = Object.entries(entries).map(([name, given]) => [name, place(service, name, given)])
  return Object.fromEntries(named) as { [N in keyof T]: T[N] & Place }
}

function place(service: string, name: string, given: Entry): Operation {
  const [[status, schema] = ['0', z.undefined()]] = Object.entries(given.answers)
  const rpc = name.charAt(0).toUpperCase() + name.slice(1)
  return { ...given, name, service, rpc, success: Number(status), answer: unpaged(schema) }
}

function unpaged(schema: z.ZodType): z.ZodType {
  if (!isPage(schema)) return schema
  return schema.omit({ next: true, previous: true })
}

/** A page of a list: `count`, `next`, `previous`, `results`. */
export function isPage(schema: z.ZodType): schema is z.ZodObject {
  return schema instanceof z.ZodObject && 'next' in schema.shape && 'previous' in schema.shape
}

/** Bytes pass through: they are never parsed by the gateway and never modelled in a message. */
export function isBytes(schema: z.ZodType | undefined): boolean {
  if (!schema) return false
  const known = bytes.get(schema)
  if (known !== undefined) return known
  const found = schema.meta()?.bytes === true
  bytes.set(schema, found)
  return found
}

/** Every call asks several times, and the library gathers what is said of a schema anew each time. */
const bytes = new WeakMap<z.ZodType, boolean>()

/** A body or an answer that passes in pieces, whose size nobody knows before. */
export function isStreamed({ body, answer }: Pick<Operation, 'body' | 'answer'>): boolean {
  return isBytes(body) || isBytes(answer)
}

/**
 * Does it take an `Idempotency-Key` (`spec/extensions.md` 7)? Every POST that creates something does, and every change of
 * sets that pass as bytes; pieces of files have their offset instead. A key belongs to a user, so where nobody needs to be
 * one there is none.
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

/** May a request name the workspace that it is about (`spec/api-workspace.md` 1.9)? */
export const isScoped = ({ path }: Pick<Operation, 'path'>): boolean => !unscoped.test(path)

/** Params, query and headers by name, the body under `body`: the input of a handler and the fields of its message. */
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

/** The operations of a table that a service answers (all but those of the gateway). */
export function answered(table: Operations): Operation[] {
  return Object.values(table).filter((one) => one.by !== 'gateway')
}
