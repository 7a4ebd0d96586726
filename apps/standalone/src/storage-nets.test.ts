import { expect, test } from 'vitest'
import { storageNets } from './storage-nets.ts'

const loopback = '127.0.0.0/8,::1/128'
const netsOf = (host: string, env: Record<string, string> = {}) => storageNets({ host, env })

test.each([
  ['127.0.0.1', {}],
  ['::1', {}],
  ['localhost', {}],
  ['127.0.0.2', { RETICLE_PUBLIC_URL: 'http://localhost:8080' }],
  ['127.0.0.1', { RETICLE_PUBLIC_URL: 'http://[::1]:8080' }],
])('on %s with %o every user can connect buckets on loopback', (host, env) => {
  expect(netsOf(host, env).RETICLE_STORAGES_ALLOWED_NETS).toBe(loopback)
})

test.each([
  ['0.0.0.0', {}],
  ['::', {}],
  ['192.168.1.20', {}],
  ['127.example.org', {}],
  ['127.0.0.1', { RETICLE_PUBLIC_URL: 'https://annotate.example.org' }],
])('on %s with %o only administrators can connect buckets on loopback', (host, env) => {
  const nets = netsOf(host, env)
  expect(nets.RETICLE_STORAGES_ALLOWED_NETS).toBe('')
  expect(nets.RETICLE_PROJECTS_STORAGE_ADMIN_NETS).toContain('127.0.0.0/8')
  expect(nets.RETICLE_PROJECTS_STORAGE_ADMIN_NETS).toContain('10.0.0.0/8')
})

test.each(['', '10.0.0.0/8'])('the setting "%s" replaces both', (given) => {
  expect(netsOf('127.0.0.1', { RETICLE_STORAGES_ALLOWED_NETS: given })).toEqual({})
})
