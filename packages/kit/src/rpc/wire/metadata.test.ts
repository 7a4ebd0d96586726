import { Metadata } from '@grpc/grpc-js'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { signContext, verifyContext } from './metadata.ts'

/** The signed caller of a call. See docs/spec/reliability.md#identity-and-secrets. */

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
  signContext(metadata, context, { method, keys })
  return metadata
}

test('the principal arrives as it was signed, with characters outside of ASCII', () => {
  expect(verifyContext(signed(['k']), by('k'))).toEqual({ principal, request_id: 'r1' })
})

test('a caller of the previous release has no organization roles and no workspace', () => {
  const { organization_roles: _roles, scope: _scope, ...before } = principal
  const metadata = new Metadata()
  const sent: object = { ...context, principal: before }
  signContext(metadata, Object.assign({}, context, sent), by('k'))
  expect(verifyContext(metadata, by('k')).principal).toEqual({
    ...before,
    organization_roles: {},
    scope: null,
  })
})

test('credential, address and user agent are transferred if they are known', () => {
  const metadata = new Metadata()
  const known = { credential: 'Token abc', address: '::1', user_agent: 'cli/1' }
  signContext(metadata, { ...context, ...known }, by('k'))
  expect(verifyContext(metadata, by('k'))).toMatchObject(known)
})

test('a call without a signature is rejected', () => {
  expect(() => verifyContext(new Metadata(), by('k'))).toThrow('not signed by a service')
})

test('a call that was changed after signing is rejected', () => {
  const metadata = signed(['k'])
  const [text] = metadata.get('call-bin')
  const forged = String(text).replace('"user_id":7', '"user_id":1')
  metadata.set('call-bin', Buffer.from(forged))
  expect(() => verifyContext(metadata, by('k'))).toThrow('not signed by a service')
})

test('a signature with an unknown key is rejected', () => {
  expect(() => verifyContext(signed(['old']), by('new'))).toThrow('not signed by a service')
})

test('during a key rotation the newest key signs and all keys are accepted', () => {
  expect(verifyContext(signed(['new', 'old']), by('new'))).toMatchObject({ request_id: 'r1' })
  expect(verifyContext(signed(['old']), by('new', 'old'))).toMatchObject({ request_id: 'r1' })
})

test('a signature is valid for a minute', () => {
  const metadata = signed(['k'])
  vi.advanceTimersByTime(60_000)
  verifyContext(metadata, by('k'))
  vi.advanceTimersByTime(1)
  expect(() => verifyContext(metadata, by('k'))).toThrow('The signature of the call is too old.')
})

test('without a key no call can be signed or verified', () => {
  expect(() => signed([])).toThrow('no internal key')
  const metadata = new Metadata()
  signContext(metadata, context, by('k'))
  expect(() => verifyContext(metadata, by())).toThrow('not signed by a service')
})

test('a signature for one method is rejected by every other method', () => {
  const elsewhere = { method: '/reticle.v1.BoxService/DeleteBox', keys: ['k'] }
  expect(() => verifyContext(signed(['k']), elsewhere)).toThrow('for another method')
})

test('call id and trace are part of the signature and cannot be changed', () => {
  const metadata = new Metadata()
  const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'
  signContext(metadata, { ...context, call_id: 'c1', traceparent }, by('k'))
  expect(verifyContext(metadata, by('k'))).toMatchObject({ call_id: 'c1', traceparent })

  const [text] = metadata.get('call-bin')
  metadata.set('call-bin', Buffer.from(String(text).replace('"c1"', '"c2"')))
  expect(() => verifyContext(metadata, by('k'))).toThrow('not signed by a service')
})
