import { createHash } from 'node:crypto'
import { changedMeanwhile, invalidText } from './errors.ts'

/**
 * Record with an entity tag. Its state is identified by the id and the date of the last
 * change, which every change advances by at least a millisecond. Without such a date the
 * content identifies the state, so the record must be complete.
 */
export interface Revisioned {
  id: number
  /** A `Date`, or ISO 8601 text as in records. */
  updated_date?: Date | string
  /** Number of changes of the record itself, for a record whose date also follows changes of its children. */
  revision?: number
}

/**
 * Returns the entity tag of a record: `"<id>-<updated_date as epoch ms in base 36>"`, with a revision
 * `"<id>-r<revision>-<date>"`, without a date `"<id>-<hash of its content>"`.
 */
export function recordTag<R extends Revisioned>(record: R): string {
  const { id, updated_date, revision } = record
  if (updated_date === undefined) return `"${id}-${hashOf(record)}"`
  if (revision === undefined) return dateTag(id, updated_date)
  return `${revisionPrefix(id, revision)}${dateText(updated_date)}"`
}

/** Returns the tag of a record without a revision. In earlier versions every record had this form. */
const dateTag = (id: number, date: Date | string) => `"${id}-${dateText(date)}"`

/** Returns the part that all tags share between two changes of the record itself. */
const revisionPrefix = (id: number, revision: number) => `"${id}-r${revision}-`

const dateText = (date: Date | string) => new Date(date).getTime().toString(36)

/**
 * Compares a tag for `If-Match`. The revision alone decides, because the date also follows changes of children; for
 * `If-None-Match` the date counts as well. A tag of an earlier version matches while the date is unchanged.
 */
function isTagOf(given: string, record: Revisioned, present: string): boolean {
  const { id, updated_date, revision } = record
  if (given === present) return true
  if (updated_date === undefined || revision === undefined) return false
  return given.startsWith(revisionPrefix(id, revision)) || given === dateTag(id, updated_date)
}

/** Returns the same hash for equal records, in any order of their members. */
function hashOf(record: object): string {
  const text = JSON.stringify(record, sorted)
  return createHash('sha256').update(text).digest('base64url').slice(0, 22)
}

/** Treats null and absent as equal, because a record sent between services may lose the difference. */
function sorted(_: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  const members = Object.entries(value).filter(([, one]) => one !== null && one !== undefined)
  return Object.fromEntries(members.sort(([a], [b]) => (a < b ? -1 : 1)))
}

const tag = /(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"/g
const tagList =
  /^(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"(?:\s*,\s*(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*")*$/

/**
 * Parses `If-Match` (RFC 9110 13.1.1): returns its tags, or `any` for `*` and for a missing header.
 * @throws DomainError `invalid` if it is malformed
 */
export function readIfMatch(given: string | undefined): 'any' | string[] {
  const text = given?.trim() ?? '*'
  if (text === '*') return 'any'
  if (!tagList.test(text))
    throw invalidText('If-Match has to be * or a list of entity tags in double quotes.')
  return text.match(tag) ?? []
}

/**
 * Checks `If-Match`; the caller must hold the lock of the row of the
 * record. The comparison is strong: a weak tag never matches.
 * @throws DomainError `precondition` with the current tag, or `invalid` for a malformed header
 */
export function assertMatches(if_match: string | undefined, record: Revisioned): void {
  const wanted = readIfMatch(if_match)
  const present = recordTag(record)
  if (wanted === 'any' || wanted.some((given) => isTagOf(given, record, present))) return
  throw changedMeanwhile('The object was changed by someone else.', present)
}
