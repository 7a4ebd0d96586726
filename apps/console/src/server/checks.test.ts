import { expect, test } from 'vitest'
import { checksOf } from './checks.ts'

test('checks without details have a status word', () => {
  expect(checksOf({ Database: 'working', Bus: 'failing' })).toMatchObject([
    { name: 'Database', isWell: true },
    { name: 'Bus', isWell: false },
  ])
})

test('checks for administrators have the time and the reason', () => {
  const bus = { status: 'failing', took_ms: 5000, reason: 'no broker answers' }
  expect(checksOf({ Bus: bus })).toEqual([
    { name: 'Bus', isWell: false, took_ms: 5000, reason: 'no broker answers' },
  ])
})

test('an error response contains no checks', () => {
  expect(checksOf({ detail: 'stopping', code: 'unavailable', request_id: 'r' })).toEqual([])
  expect(checksOf('Bad gateway')).toEqual([])
})
