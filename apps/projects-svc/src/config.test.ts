import { expect, test } from 'vitest'
import { readConfig } from './config.ts'

test('everything has a default', () => {
  expect(readConfig({})).toMatchObject({
    maxJobsPerTask: 5000,
    maxConsensusReplicas: 11,
    autoInProgress: true,
    identity: { maxAccessTokens: 50, accessTokenStaleDays: 180, emailVerification: 'none' },
  })
})

test('all that cannot be used is named at once', () => {
  const env = {
    RETICLE_PROJECTS_MAX_JOBS_PER_TASK: '0',
    RETICLE_PROJECTS_AUTO_IN_PROGRESS: 'perhaps',
    RETICLE_PROJECTS_EMAIL_VERIFICATION: 'later',
  }
  for (const name of Object.keys(env)) expect(() => readConfig(env)).toThrowError(name)
})
