import type { SetItem } from '../annotations/items.ts'
import type { AnnotationSet } from '../generated/schemas.ts'
import type { Page } from '../http/lists.ts'
import type { CallOptions } from '../http/options.ts'
import type { Files } from '../uploads/sources.ts'
import type { UploadOptions } from '../uploads/upload.ts'

/** Types of the methods of a client; `generated/methods.ts` has one for each operation. */

/** Value of a query; numbers are sent as text. */
export type Text = string | number
/** Filter of a list as a JSON Logic object: `{ '==': [{ var: 'status' }, 'completed'] }`. */
export type JsonLogic = Record<string, unknown>
// biome-ignore lint/complexity/noBannedTypes: an operation without input takes an empty object
export type NoInput = {}

/** Arguments of a call; the input is optional if none of its fields is required. */
export type Args<I> = NoInput extends I
  ? [input?: I, options?: CallOptions]
  : [input: I, options?: CallOptions]

/** Call with params, query, headers and body by name, and its result. */
export type Call<I, A> = (...args: Args<I>) => Promise<A>

/** Call with files in its body: as members, or as a form. */
export type FormCall<I, A> = Call<WithForm<I>, A>
type WithForm<I> = I extends { body?: infer B } ? Omit<I, 'body'> & { body?: B | FormData } : I

/** List: one page, or all items one after the other. */
export interface Listing<I, R> {
  (...args: Args<I>): Promise<Page<R>>
  /** Yields the items of all pages, which are fetched as needed. */
  each(...args: Args<I>): AsyncGenerator<R, void, undefined>
}

/** Call that accepts files: in its body, or by `send`. */
export interface Collection<I, A> {
  (...args: Args<WithForm<I>>): Promise<A>
  /**
   * Sends files by their sizes: in one form, or in several requests with large files in chunks, which resume after a
   * failure.
   */
  send(input: Parameters<I>, files: Files, options?: UploadOptions): Promise<A>
}
/** Input without files; its body contains the options of the upload. */
type Parameters<I> = I extends { body?: infer B } ? Omit<I, 'body'> & { body?: WithoutFiles<B> } : I
type WithoutFiles<B> = B extends object
  ? { [K in keyof B as B[K] extends FilesOfForm ? never : K]: B[K] }
  : B
type FilesOfForm = Blob | readonly Blob[] | undefined

/** Call that returns an annotation set: as one object, or item by item in constant memory. */
export interface SetCall<I> {
  (...args: Args<I>): Promise<AnnotationSet>
  items(...args: Args<I>): AsyncGenerator<SetItem, void, undefined>
}
