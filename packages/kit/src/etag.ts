import { createHash } from 'node:crypto'
import { changedMeanwhile, invalidText } from './errors.ts'

/**
 * A record that is identified by its id and, among its states, by the date of its last change, which every change moves by a
 * millisecond at least. One without such a date is its own state, so it has to be the whole record.
 */
export interface Revisioned {
  id: number
  /** A `Date`, or ISO 8601 as records carry it. */
  updated_date?: Date | string
}

/**
 * The entity tag of a record: `"<id>-<updated_date as epoch ms in base 36>"` (`spec/api-workspace.md` 1.8), without a date
 * `"<id>-<hash of what it says>"`.
 */
export function recordTag<R extends Revisioned>(record: R): string {
  const { id, updated_date } = record
  if (updated_date === undefined) return `"${id}-${hashOf(record)}"`
  return `"${id}-${new Date(updated_date).getTime().toString(36)}"`
}

/** The same for equal records, in whatever order their members stand. */
function hashOf(record: object): string {
  const text = JSON.stringify(record, sorted)
  return createHash('sha256').update(text).digest('base64url').slice(0, 22)
}

/** Null and absent are one: a record that was sent between services may have lost the difference. */
function sorted(_: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  const members = Object.entries(value).filter(([, one]) => one !== null && one !== undefined)
  return Object.fromEntries(members.sort(([a], [b]) => (a < b ? -1 : 1)))
}

const tag = /(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"/g
const tagList =
  /^(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"(?:\s*,\s*(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*")*$/

/**
 * Reads `If-Match` (RFC 9110 13.1.1): the tags it names, or `any` for `*` and for no header at all.
 *
 * @throws DomainError invalid when it is neither
 */
export function readIfMatch(given: string | undefined): 'any' | string[] {
  const text = given?.trim() ?? '*'
  if (text === '*') return 'any'
  if (!tagList.test(text))
    throw invalidText('If-Match has to be * or a list of entity tags in double quotes.')
  return text.match(tag) ?? []
}

/**
 * To be called under the lock of the record's row. Comparison is strong: a weak tag never matches.
 *
 * @throws DomainError precondition with the present tag, or invalid for a header that cannot be read
 */
export function assertMatches(if_match: string | undefined, record: Revisioned): void {
  const wanted = readIfMatch(if_match)
  const present = recordTag(record)
  if (wanted === 'any' || wanted.includes(present)) return
  throw changedMeanwhile('The object was changed by someone else.', present)
}
