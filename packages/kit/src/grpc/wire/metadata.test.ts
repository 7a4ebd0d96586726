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
  organization_roles: { 2: 'worker' as const },
  scope: { organization_id: 2 },
}
const context = { principal, request_id: 'r1' }
const method = '/reticle.v1.BoxService/UpdateBox'
const by = (...keys: string[]) => ({ method, keys })

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

function signed(keys: readonly string[]) {
  const metadata = new Metadata()
  sign(metadata, context, { method, keys })
  return metadata
}

test('who calls arrives as it was signed, also outside of ASCII', () => {
  expect(verify(signed(['k']), by('k'))).toEqual({ principal, request_id: 'r1' })
})

test('a caller of the release before belongs to no organization and names no workspace', () => {
  const { organization_roles: _roles, scope: _scope, ...before } = principal
  const metadata = new Metadata()
  const sent: object = { ...context, principal: before }
  sign(metadata, Object.assign({}, context, sent), by('k'))
  expect(verify(metadata, by('k')).principal).toEqual({
    ...before,
    organization_roles: {},
    scope: null,
  })
})

test('the credential, the address and the program travel along when they are known', () => {
  const metadata = new Metadata()
  const known = { credential: 'Token abc', address: '::1', user_agent: 'cli/1' }
  sign(metadata, { ...context, ...known }, by('k'))
  expect(verify(metadata, by('k'))).toMatchObject(known)
})

test('a call without a signature is refused', () => {
  expect(() => verify(new Metadata(), by('k'))).toThrow('not signed by a service')
})

test('a call that was changed after signing is refused', () => {
  const metadata = signed(['k'])
  const [text] = metadata.get('call-bin')
  const forged = String(text).replace('"user_id":7', '"user_id":1')
  metadata.set('call-bin', Buffer.from(forged))
  expect(() => verify(metadata, by('k'))).toThrow('not signed by a service')
})

test('a signature by a key that is no longer known is refused', () => {
  expect(() => verify(signed(['old']), by('new'))).toThrow('not signed by a service')
})

test('while keys are changed, the newest one signs and all of them are believed', () => {
  expect(verify(signed(['new', 'old']), by('new'))).toMatchObject({ request_id: 'r1' })
  expect(verify(signed(['old']), by('new', 'old'))).toMatchObject({ request_id: 'r1' })
})

test('a signature is believed for a minute', () => {
  const metadata = signed(['k'])
  vi.advanceTimersByTime(60_000)
  verify(metadata, by('k'))
  vi.advanceTimersByTime(1)
  expect(() => verify(metadata, by('k'))).toThrow('The signature of the call is too old.')
})

test('nothing is signed or believed without a key', () => {
  expect(() => signed([])).toThrow('no internal key')
  const metadata = new Metadata()
  sign(metadata, context, by('k'))
  expect(() => verify(metadata, by())).toThrow('not signed by a service')
})

test('a signature for one method is refused by every other', () => {
  const elsewhere = { method: '/reticle.v1.BoxService/DeleteBox', keys: ['k'] }
  expect(() => verify(signed(['k']), elsewhere)).toThrow('for another method')
})

test('the call and its trace arrive as signed, so that neither can be put to another caller', () => {
  const metadata = new Metadata()
  const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'
  sign(metadata, { ...context, call_id: 'c1', traceparent }, by('k'))
  expect(verify(metadata, by('k'))).toMatchObject({ call_id: 'c1', traceparent })

  const [text] = metadata.get('call-bin')
  metadata.set('call-bin', Buffer.from(String(text).replace('"c1"', '"c2"')))
  expect(() => verify(metadata, by('k'))).toThrow('not signed by a service')
})
