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
  /** Counts the changes of the record itself, where its date also follows what belongs to it. */
  revision?: number
}

/**
 * The entity tag of a record: `"<id>-<updated_date as epoch ms in base 36>"`, with a revision `"<id>-r<revision>-<date>"`,
 * without a date `"<id>-<hash of its content>"`.
 */
export function recordTag<R extends Revisioned>(record: R): string {
  const { id, updated_date, revision } = record
  if (updated_date === undefined) return `"${id}-${hashOf(record)}"`
  if (revision === undefined) return dateTag(id, updated_date)
  return `${revisionPrefix(id, revision)}${dateText(updated_date)}"`
}

/** A record without a revision has this tag, and every record had it in earlier versions. */
const dateTag = (id: number, date: Date | string) => `"${id}-${dateText(date)}"`

/** Common to all tags of a record between two changes of itself. */
const revisionPrefix = (id: number, revision: number) => `"${id}-r${revision}-`

const dateText = (date: Date | string) => new Date(date).getTime().toString(36)

/**
 * A tag with a revision names a state for `If-None-Match`, date included. For `If-Match` the revision alone decides, because
 * the date also follows changes of children. A tag of an earlier version matches while the date is the same.
 */
function isTagOf(given: string, record: Revisioned, present: string): boolean {
  const { id, updated_date, revision } = record
  if (given === present) return true
  if (updated_date === undefined || revision === undefined) return false
  return given.startsWith(revisionPrefix(id, revision)) || given === dateTag(id, updated_date)
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
  if (wanted === 'any' || wanted.some((given) => isTagOf(given, record, present))) return
  throw changedMeanwhile('The object was changed by someone else.', present)
}
