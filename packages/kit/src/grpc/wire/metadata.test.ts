import { Metadata } from '@grpc/grpc-js'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { sign, verify } from './metadata.ts'

/** `reliability.md` 11: who calls travels signed; nobody is believed without. */

const principal = {
  user_id: 7,
  username: 'zoë',
  first_name: '',
  last_name: '',
  email: '',
  role: 'user' as const,
  token: null,
}
const context = {
  principal,
  request_id: 'r1',
  deadline: 0,
  signal: AbortSignal.timeout(60_000),
}

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

function signed(keys: readonly string[]) {
  const metadata = new Metadata()
  sign(metadata, context, keys)
  return metadata
}

test('who calls arrives as it was signed, also outside of ASCII', () => {
  expect(verify(signed(['k']), ['k'])).toEqual({ principal, request_id: 'r1' })
})

test('the credential and the address travel along when they are known', () => {
  const metadata = new Metadata()
  sign(metadata, { ...context, credential: 'Token abc', address: '::1' }, ['k'])
  expect(verify(metadata, ['k'])).toMatchObject({ credential: 'Token abc', address: '::1' })
})

test('a call without a signature is refused', () => {
  expect(() => verify(new Metadata(), ['k'])).toThrow('not signed by a service')
})

test('a call that was changed after signing is refused', () => {
  const metadata = signed(['k'])
  const [text] = metadata.get('call-bin')
  const forged = String(text).replace('"user_id":7', '"user_id":1')
  metadata.set('call-bin', Buffer.from(forged))
  expect(() => verify(metadata, ['k'])).toThrow('not signed by a service')
})

test('a signature by a key that is no longer known is refused', () => {
  expect(() => verify(signed(['old']), ['new'])).toThrow('not signed by a service')
})

test('while keys are changed, the newest one signs and all of them are believed', () => {
  expect(verify(signed(['new', 'old']), ['new'])).toMatchObject({ request_id: 'r1' })
  expect(verify(signed(['old']), ['new', 'old'])).toMatchObject({ request_id: 'r1' })
})

test('a signature is believed for a minute', () => {
  const metadata = signed(['k'])
  vi.advanceTimersByTime(60_000)
  verify(metadata, ['k'])
  vi.advanceTimersByTime(1)
  expect(() => verify(metadata, ['k'])).toThrow('The signature of the call is too old.')
})

test('nothing is signed or believed without a key', () => {
  expect(() => signed([])).toThrow('no internal key')
  const metadata = new Metadata()
  sign(metadata, context, ['k'])
  expect(() => verify(metadata, [])).toThrow('not signed by a service')
})
