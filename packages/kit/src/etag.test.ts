import { expect, test } from 'vitest'
import { assertMatches, readIfMatch, recordTag } from './etag.ts'

const record = { id: 7, updated_date: new Date('2026-03-01T10:00:00.123Z') }
const present = recordTag(record)

test('a tag names the record and the millisecond of its last change', () => {
  expect(present).toBe(`"7-${record.updated_date.getTime().toString(36)}"`)
  expect(recordTag({ id: 7, updated_date: '2026-03-01T10:00:00.123Z' })).toBe(present)
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
