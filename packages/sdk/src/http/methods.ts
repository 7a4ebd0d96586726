import type { SetItem } from '../annotations/items.ts'
import type { AnnotationSet } from '../generated/schemas.ts'
import type { Files } from '../uploads/sources.ts'
import type { UploadOptions } from '../uploads/upload.ts'
import type { CallOptions } from './options.ts'

/** What the methods of a client are made of; `generated/methods.ts` has one for each operation. */

/** Text of a query; numbers are written as text. */
export type Text = string | number
/** A condition of a list, as an object of JSON Logic: `{ '==': [{ var: 'status' }, 'completed'] }`. */
export type JsonLogic = Record<string, unknown>
// biome-ignore lint/complexity/noBannedTypes: nothing has to be said, and nothing can be
export type NoInput = {}

/** An input may be left out where nothing of it is required. */
export type Args<I> = NoInput extends I
  ? [input?: I, options?: CallOptions]
  : [input: I, options?: CallOptions]

/** A call: params, query, headers and body by their names, and what it answers. */
export type Call<I, A> = (...args: Args<I>) => Promise<A>

/** A call that takes files in its body: as members of it, or as a form of your own. */
export type FormCall<I, A> = Call<WithForm<I>, A>
type WithForm<I> = I extends { body?: infer B } ? Omit<I, 'body'> & { body?: B | FormData } : I

export interface Page<R> {
  /** Of all pages together. */
  count: number
  next: string | null
  previous: string | null
  results: R[]
}

/** A list: one page of it, or all of them one item after the other. */
export interface Listing<I, R> {
  (...args: Args<I>): Promise<Page<R>>
  /** Every item of every page, which are fetched as they are needed. */
  each(...args: Args<I>): AsyncGenerator<R, void, undefined>
}

/** A call that files are sent to: in its body, or by `send`. */
export interface Collection<I, A> {
  (...args: Args<WithForm<I>>): Promise<A>
  /**
   * Sends files as their sizes suggest: in one form, or in several requests with large files in pieces, which go on where they
   * were after a break.
   */
  send(input: Parameters<I>, files: Files, options?: UploadOptions): Promise<A>
}
/** The input without files; a body says what is to be made of them. */
type Parameters<I> = I extends { body?: infer B } ? Omit<I, 'body'> & { body?: WithoutFiles<B> } : I
type WithoutFiles<B> = B extends object
  ? { [K in keyof B as B[K] extends FilesOfForm ? never : K]: B[K] }
  : B
type FilesOfForm = Blob | readonly Blob[] | undefined

/** A call that answers an annotation set: as one object, or item by item in flat memory. */
export interface SetCall<I> {
  (...args: Args<I>): Promise<AnnotationSet>
  items(...args: Args<I>): AsyncGenerator<SetItem, void, undefined>
}
