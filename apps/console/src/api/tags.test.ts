import { expect, test } from 'vitest'
import { annotationsTag, recordTag } from './tags.ts'

test('the annotations of a job are told by its revision', () => {
  expect(annotationsTag(31, 60)).toBe('"a31-60"')
})

test('a record is told by its id and its last change', () => {
  const record = { id: 7, updated_date: '1970-01-01T00:00:00.036Z' }
  expect(recordTag(record)).toBe('"7-10"')
})
