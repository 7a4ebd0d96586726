import { describe, expect, test } from 'vitest'
import { commentCreate, commentPatch } from './comments.ts'
import { guideCreate } from './guides.ts'
import { issueCreate, issueList, issuePatch } from './issues.ts'

/** Schemas of issues, comments and guides, as the gateway validates them. */

const whole = { job: 31, frame: 2, position: [100, 50, 220.5, 130], message: 'm' }
const wrongIn = (schema: typeof issueCreate | typeof issuePatch, given: object) => {
  const paths = schema.safeParse(given).error?.issues.map(({ path }) => path[0])
  return [...new Set(paths)]
}

describe('issue schemas', () => {
  test('an issue accepts numbers as text and drops unknown fields', () => {
    const given = { ...whole, job: '31', resolved: 'true', id: 7, owner: 3 }
    expect(issueCreate.parse(given)).toEqual({ ...whole, resolved: true })
  })

  test.each(['job', 'frame', 'position', 'message'])('an issue requires %s', (field) => {
    expect(wrongIn(issueCreate, { ...whole, [field]: undefined })).toEqual([field])
  })

  test.each([
    ['position', []],
    ['position', [1, 2, 3]],
    ['position', [1, Number.NaN]],
    ['position', [1, Number.POSITIVE_INFINITY]],
    ['position', ['1', 2]],
    ['position', [1, null]],
    ['position', 'x'],
    ['position', null],
    ['position', Array.from({ length: 10_002 }, () => 1)],
    ['message', ''],
    ['message', '  '],
    ['message', 'x'.repeat(10_001)],
    ['message', 'a\0b'],
    ['job', 1.5],
    ['frame', 2 ** 31],
    ['assignee', 'x'],
    ['resolved', 'perhaps'],
  ])('an issue with %s %j is rejected', (field, value) => {
    expect(wrongIn(issueCreate, { ...whole, [field]: value })).toEqual([field])
  })

  test('an issue may have as many points as an event can contain', () => {
    const position = Array.from({ length: 10_000 }, () => 1)
    expect(issueCreate.parse({ ...whole, position })).toMatchObject({ position })
  })

  test('a patch of an issue ignores write-once fields', () => {
    expect(issuePatch.parse({ ...whole, resolved: true, assignee: null })).toEqual({
      position: whole.position,
      resolved: true,
      assignee: null,
    })
    expect(wrongIn(issuePatch, { position: [1] })).toEqual(['position'])
  })

  test.each(['1', 'yes', 'TRUE', 'on'])('resolved=%s filters resolved issues', (resolved) => {
    expect(issueList.parse({ resolved })).toEqual({ resolved: true })
  })
})

describe('comment schemas', () => {
  test('a comment is trimmed, and limited to 10,000 characters', () => {
    expect(commentCreate.parse({ issue: 5, message: ' m ' })).toEqual({ issue: 5, message: 'm' })
    expect(commentCreate.safeParse({ issue: 5, message: 'x'.repeat(10_000) }).success).toBe(true)
    expect(commentCreate.safeParse({ issue: 5, message: 'x'.repeat(10_001) }).success).toBe(false)
  })

  test('a patch of a comment ignores its issue', () => {
    expect(commentPatch.parse({ issue: 6, message: 'm' })).toEqual({ message: 'm' })
    expect(commentPatch.safeParse({ message: '' }).success).toBe(false)
  })
})

test('a guide is not trimmed', () => {
  expect(guideCreate.parse({ markdown: ' # Cars\n' })).toEqual({ markdown: ' # Cars\n' })
  expect(guideCreate.safeParse({ markdown: 'x'.repeat(1_000_001) }).success).toBe(false)
})
