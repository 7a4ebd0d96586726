import { expect, test } from 'vitest'
import { readConfig } from './config.ts'

const key = `k1:${Buffer.alloc(32).toString('base64')}`

test('unset settings have their documented defaults', () => {
  expect(readConfig({ RETICLE_SECRET_KEYS: key })).toMatchObject({
    publicUrl: 'http://127.0.0.1:8080',
    secretKeys: key,
    allowHttp: false,
    allowedNets: [],
    retrySeconds: [5, 300, 1800, 10_800, 86_400, 86_400, 86_400, 86_400],
    disableAfterHours: 0,
    perProject: 100,
    perOrganization: 500,
  })
})

test('the error names every invalid value', () => {
  const env = {
    RETICLE_PUBLIC_URL: 'ftp://host',
    RETICLE_WEBHOOKS_ALLOWED_NETS: '10.0.0.0/8,nonsense',
    RETICLE_WEBHOOKS_RETRY_SECONDS: '5,soon',
    RETICLE_EGRESS_PROXY: 'https://user:word@proxy',
  }
  expect(() => readConfig(env)).toThrow(
    /RETICLE_PUBLIC_URL.*RETICLE_SECRET_KEYS.*"nonsense" is no network.*RETICLE_EGRESS_PROXY: Expected http:.*RETRY_SECONDS/s,
  )
})

test('the error about an invalid proxy does not contain its password', () => {
  const env = { RETICLE_SECRET_KEYS: key, RETICLE_EGRESS_PROXY: 'https://user:hunter2@proxy' }
  expect(() => readConfig(env)).toThrow(/^(?!.*hunter2).*RETICLE_EGRESS_PROXY/s)
  const good = { ...env, RETICLE_EGRESS_PROXY: 'http://user:hunter2@proxy:4750' }
  expect(readConfig(good).egressProxy).toBe('http://user:hunter2@proxy:4750')
})

test('the public URL has no trailing slash', () => {
  const { publicUrl } = readConfig({
    RETICLE_SECRET_KEYS: key,
    RETICLE_PUBLIC_URL: 'https://label.example.org/',
  })
  expect(publicUrl).toBe('https://label.example.org')
})

test('links put an IPv6 listen address in brackets', () => {
  const { publicUrl } = readConfig({ RETICLE_SECRET_KEYS: key, RETICLE_HOST: '::1' })
  expect(publicUrl).toBe('http://[::1]:8080')
})
