import type { Failed } from '../http-error.ts'

/**
 * A dialect is the REST API as clients of another product know it (`spec/api-workspace.md` 9): the routes are those of the
 * service, and what is sent and answered is translated at this edge. Services know one model and no dialect.
 */
export interface Dialect {
  /** As mounts, settings and access tokens name it. */
  name: string
  /** Of every JSON answer in it; in `Accept` or `Content-Type` it asks for it. */
  mediaType: string
  /** By the names of operations; one that is missing says the same in both. */
  translations: Translations
  /** A failure in the words of its clients. */
  failure?(failed: Failed): Failed
}

export type Translations = Readonly<Record<string, Translation>>

export type Fields = Record<string, unknown>

/** What differs in one operation. Whatever is not as expected passes as it is: the row and the service judge it. */
export interface Translation {
  /** Members of the query as they were sent, before they are read. */
  query?(given: Fields): Fields
  /** What the handler is called with: `{...params, ...query, ...headers, body}`, as its row reads it. */
  input?(input: Fields): Fields
  /**
   * A JSON answer whose links are absolute.
   *
   * @param base where the client found the API, such as `http://host/as/cvat/api`
   * @param userAgent the header of that name, empty without one: newer clients expect other shapes
   */
  answer?(answer: unknown, base: string, userAgent: string): unknown
  /** The pieces of an answer that nobody holds as a whole. */
  bytes?(pieces: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array>
}

/** Changes one record of an answer. */
export type Change = (record: Fields, base: string, userAgent: string) => Fields

export function isFields(given: unknown): given is Fields {
  return typeof given === 'object' && given !== null && !Array.isArray(given)
}

/** An answer that is one record. */
export const recordAnswer = (change: Change): Translation => ({
  answer: (answer, base, userAgent) =>
    isFields(answer) ? change(answer, base, userAgent) : answer,
})

/** An answer that is a page of records. */
export const pageAnswer = (change: Change): Translation => ({
  answer: (page, base, userAgent) => {
    if (!isFields(page) || !Array.isArray(page.results)) return page
    const changed = (one: unknown) => (isFields(one) ? change(one, base, userAgent) : one)
    return { ...page, results: page.results.map(changed) }
  },
})
