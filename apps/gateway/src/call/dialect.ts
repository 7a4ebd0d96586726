import { type Change, isFields, type RecordFields } from '@reticle/contracts/dialects/record'
import type { PublicError } from './http-error.ts'

export { type Change, isFields, type RecordFields } from '@reticle/contracts/dialects/record'

/**
 * A dialect is the REST API as clients of another product know it: routes are those of the native API, and requests
 * and responses are translated here. Services have one model and no dialects
 * (docs/adr/0030-translate-dialects-in-the-gateway.md).
 */
export interface Dialect {
  /** Name in mounts, settings and access tokens. */
  name: string
  /** Media type of every JSON response; in `Accept` or `Content-Type` it selects the dialect. */
  mediaType: string
  /** Translations by operation name; missing operations are equal in both. */
  translations: Translations
  /** A list without a scope contains the caller's own and assigned objects only. */
  listsOnlyOwn?: boolean
  /** Translates an error for its clients. */
  failure?(failed: PublicError): PublicError
}

export type Translations = Readonly<Record<string, Translation>>

/**
 * Differences of one operation. Unexpected input passes unchanged, so that the operation and the service validate it.
 */
export interface Translation {
  /** Translates the raw query members before they are validated. */
  query?(given: RecordFields): RecordFields
  /** Translates the validated input of the handler: `{...params, ...query, ...headers, body}`. */
  input?(input: RecordFields): RecordFields
  /**
   * Translates a JSON response; its links are absolute.
   * @param base URL of the API for the client, such as `http://host/as/cvat/api`
   * @param userAgent Header of that name, empty when missing: newer clients expect other responses.
   */
  answer?(answer: unknown, base: string, userAgent: string): unknown
  /** Translates the pieces of a streamed response. */
  bytes?(pieces: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array>
}

/** Translates a response with one record. */
export const recordAnswer = (change: Change): Translation => ({
  answer: (answer, base, userAgent) =>
    isFields(answer) ? change(answer, base, userAgent) : answer,
})

/** Translates a response with a page of records. */
export const pageAnswer = (change: Change): Translation => ({
  answer: (page, base, userAgent) => {
    if (!isFields(page) || !Array.isArray(page.results)) return page
    const changed = (one: unknown) => (isFields(one) ? change(one, base, userAgent) : one)
    return { ...page, results: page.results.map(changed) }
  },
})
