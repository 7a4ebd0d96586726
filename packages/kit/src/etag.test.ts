import { describe, expect, test } from 'vitest'
import { assertMatches, readIfMatch, recordTag } from './etag.ts'

const record = { id: 7, updated_date: new Date('2026-03-01T10:00:00.123Z') }
const present = recordTag(record)

test('a tag names the record and the millisecond of its last change', () => {
  expect(present).toBe(`"7-${record.updated_date.getTime().toString(36)}"`)
  expect(recordTag({ id: 7, updated_date: '2026-03-01T10:00:00.123Z' })).toBe(present)
})

describe('a record with a revision', () => {
  const before = { ...record, revision: 3 }
  const tag = recordTag(before)
  const touched = { ...before, updated_date: new Date('2026-03-01T10:00:00.200Z') }

  test('has a tag of its revision and its date', () => {
    expect(tag).toBe(`"7-r3-${record.updated_date.getTime().toString(36)}"`)
    expect(recordTag(touched)).not.toBe(tag)
  })

  test('matches a tag of the same revision, whatever followed its children', () => {
    expect(() => assertMatches(tag, touched)).not.toThrow()
    expect(() => assertMatches(`"x", ${tag}`, touched)).not.toThrow()
  })

  test.each([
    ['of another revision', { ...before, revision: 4 }, tag],
    ['of a revision that begins alike', { ...before, revision: 30 }, tag],
    ['of another record', { ...before, id: 70 }, tag],
    ['that is weak', before, `W/${tag}`],
  ])('does not match a tag %s', (_, now, given) => {
    expect(() => assertMatches(given, now)).toThrowError(
      expect.objectContaining({ kind: 'precondition', more: { etag: recordTag(now) } }),
    )
  })

  test('matches a tag of an earlier version while its date is the same', () => {
    expect(() => assertMatches(present, before)).not.toThrow()
    expect(() => assertMatches(present, touched)).toThrowError(
      expect.objectContaining({ kind: 'precondition' }),
    )
  })
})

describe('a record without a date of its last change', () => {
  const label = { id: 40, name: 'car', attributes: [{ id: 1, values: ['a'] }], parent_id: null }

  test('has a tag of what it says', () => {
    expect(recordTag(label)).toMatch(/^"40-[\w-]{22}"$/)
    expect(recordTag({ ...label, name: 'bus' })).not.toBe(recordTag(label))
    const attributes = [{ id: 1, values: ['b'] }]
    expect(recordTag({ ...label, attributes })).not.toBe(recordTag(label))
  })

  test('has the same in whatever order it comes, with null or without', () => {
    const { id, name, attributes } = label
    expect(recordTag({ attributes, name, id })).toBe(recordTag(label))
  })
})

test.each([undefined, '*', ' * ', present, `"x", ${present}`])('%s matches', (given) => {
  expect(() => assertMatches(given, record)).not.toThrow()
})

test.each(['"7-0"', `W/${present}`, '"a", "b"'])('%s is another state', (given) => {
  expect(() => assertMatches(given, record)).toThrowError(
    expect.objectContaining({ kind: 'precondition', more: { etag: present } }),
  )
})

test.each(['7-abc', '"open', '"a" "b"', '', '"a",'])('%j cannot be read', (given) => {
  expect(() => readIfMatch(given)).toThrowError(expect.objectContaining({ kind: 'invalid' }))
})
