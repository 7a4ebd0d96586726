import { describe, expect, test } from 'vitest'
import { assertMatches, readIfMatch, recordTag } from './etag.ts'

const record = { id: 7, updated_date: new Date('2026-03-01T10:00:00.123Z') }
const present = recordTag(record)

test('a tag contains the id of the record and the millisecond of its last change', () => {
  expect(present).toBe(`"7-${record.updated_date.getTime().toString(36)}"`)
  expect(recordTag({ id: 7, updated_date: '2026-03-01T10:00:00.123Z' })).toBe(present)
})

describe('a record with a revision', () => {
  const before = { ...record, revision: 3 }
  const tag = recordTag(before)
  const touched = { ...before, updated_date: new Date('2026-03-01T10:00:00.200Z') }

  test('a tag contains the revision and the date', () => {
    expect(tag).toBe(`"7-r3-${record.updated_date.getTime().toString(36)}"`)
    expect(recordTag(touched)).not.toBe(tag)
  })

  test('a tag of the same revision matches although the date followed a change of a child', () => {
    expect(() => assertMatches(tag, touched)).not.toThrow()
    expect(() => assertMatches(`"x", ${tag}`, touched)).not.toThrow()
  })

  test.each([
    ['of another revision', { ...before, revision: 4 }, tag],
    ['of a revision that begins alike', { ...before, revision: 30 }, tag],
    ['of another record', { ...before, id: 70 }, tag],
    ['that is weak', before, `W/${tag}`],
  ])('a tag %s does not match', (_, now, given) => {
    expect(() => assertMatches(given, now)).toThrowError(
      expect.objectContaining({ kind: 'precondition', more: { etag: recordTag(now) } }),
    )
  })

  test('a tag of an earlier version matches while the date is unchanged', () => {
    expect(() => assertMatches(present, before)).not.toThrow()
    expect(() => assertMatches(present, touched)).toThrowError(
      expect.objectContaining({ kind: 'precondition' }),
    )
  })
})

describe('a record without an update date', () => {
  const label = { id: 40, name: 'car', attributes: [{ id: 1, values: ['a'] }], parent_id: null }

  test('a tag depends on the content of the record', () => {
    expect(recordTag(label)).toMatch(/^"40-[\w-]{22}"$/)
    expect(recordTag({ ...label, name: 'bus' })).not.toBe(recordTag(label))
    const attributes = [{ id: 1, values: ['b'] }]
    expect(recordTag({ ...label, attributes })).not.toBe(recordTag(label))
  })

  test('a tag is the same for any order of members, with or without null', () => {
    const { id, name, attributes } = label
    expect(recordTag({ attributes, name, id })).toBe(recordTag(label))
  })
})

test.each([undefined, '*', ' * ', present, `"x", ${present}`])('If-Match %s matches', (given) => {
  expect(() => assertMatches(given, record)).not.toThrow()
})

test.each(['"7-0"', `W/${present}`, '"a", "b"'])('If-Match %s does not match', (given) => {
  expect(() => assertMatches(given, record)).toThrowError(
    expect.objectContaining({ kind: 'precondition', more: { etag: present } }),
  )
})

test.each(['7-abc', '"open', '"a" "b"', '', '"a",'])(
  'If-Match %j is rejected as malformed',
  (given) => {
    expect(() => readIfMatch(given)).toThrowError(expect.objectContaining({ kind: 'invalid' }))
  },
)
