import { ConfigError } from '@reticle/kit/settings/config'
import { expect, test } from 'vitest'
import { readConfig } from './config.ts'

test('every setting has a default', () => {
  expect(readConfig({})).toMatchObject({
    host: '127.0.0.1',
    port: 8080,
    trustedHops: 0,
    maxBodyBytes: 2 * 1024 ** 2,
    maxAnnotationsBodyBytes: 512 * 1024 ** 2,
    maxMultipartBytes: 1024 ** 3,
    rateAnonymous: 100,
    rateAuth: 20,
    rateUser: 1200,
    presign: false,
  })
})

test('all invalid variables are reported together', () => {
  const env = { RETICLE_PORT: '70000', RETICLE_GATEWAY_RATE_USER: '-1', RETICLE_HOST: '' }
  expect(() => readConfig(env)).toThrow(ConfigError)
  expect(() => readConfig(env)).toThrow(/RETICLE_PORT[\s\S]*RETICLE_GATEWAY_RATE_USER/)
})
