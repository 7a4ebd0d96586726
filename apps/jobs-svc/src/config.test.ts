import { expect, test } from 'vitest'
import { readConfig } from './config.ts'

test('every setting has a default', () => {
  expect(readConfig({})).toMatchObject({
    tenantConcurrency: 4,
    queuedPerUser: 1000,
    queuedPerTenant: 10_000,
    resultTtlHours: 24,
    uploadTtlHours: 12,
    allowedNets: [],
    remoteBytes: 26_843_545_600,
    limits: { entries: 1_000_000, bytes: 107_374_182_400, ratio: 200 },
  })
  expect(readConfig({}).slots).toBeGreaterThanOrEqual(1)
})

test('one error names all invalid values', () => {
  const attempt = () =>
    readConfig({
      RETICLE_JOBS_SLOTS: '0',
      RETICLE_JOBS_TENANT_CONCURRENCY: 'x',
      RETICLE_JOBS_ALLOWED_NETS: '10.0.0.0/8,nonsense',
    })
  expect(attempt).toThrow(
    /RETICLE_JOBS_SLOTS[\s\S]*RETICLE_JOBS_TENANT_CONCURRENCY[\s\S]*"nonsense" is no network/,
  )
})
