import { expect, test } from 'vitest'
import { readConfig } from './config.ts'

test('everything has a default', () => {
  expect(readConfig({})).toMatchObject({
    maxJobsPerTask: 5000,
    maxConsensusReplicas: 11,
    autoInProgress: true,
    identity: {
      maxAccessTokens: 50,
      accessTokenStaleDays: 180,
      registration: true,
      defaultRole: 'user',
      emailVerification: 'none',
    },
    organizations: { minRole: 'user', invitationExpiryDays: 7, invitationConfirm: false },
  })
})

test('pages are where the server is, unless they are elsewhere', () => {
  const { identity } = readConfig({ RETICLE_PUBLIC_URL: 'https://label.example.org/' })
  expect(identity).toMatchObject({
    publicUrl: 'https://label.example.org',
    uiUrl: 'https://label.example.org',
  })
  const apart = { RETICLE_UI_URL: 'https://ui.example.org/' }
  expect(readConfig(apart).identity).toMatchObject({
    publicUrl: 'http://127.0.0.1:8080',
    uiUrl: 'https://ui.example.org',
  })
})

test('who registers may be without a role', () => {
  const env = { RETICLE_PROJECTS_DEFAULT_ROLE: 'none' }
  expect(readConfig(env).identity.defaultRole).toBeNull()
})

test('all that cannot be used is named at once', () => {
  const env = {
    RETICLE_PROJECTS_MAX_JOBS_PER_TASK: '0',
    RETICLE_PROJECTS_AUTO_IN_PROGRESS: 'perhaps',
    RETICLE_PROJECTS_EMAIL_VERIFICATION: 'later',
    RETICLE_PROJECTS_REGISTRATION: 'sometimes',
    RETICLE_PROJECTS_DEFAULT_ROLE: 'owner',
    RETICLE_PROJECTS_ORGANIZATION_MIN_ROLE: 'anybody',
    RETICLE_PROJECTS_INVITATION_EXPIRY_DAYS: '0',
    RETICLE_PROJECTS_INVITATION_CONFIRM: 'perhaps',
    RETICLE_PUBLIC_URL: 'ftp://host',
  }
  for (const name of Object.keys(env)) expect(() => readConfig(env)).toThrowError(name)
})
