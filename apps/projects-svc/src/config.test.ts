import { describe, expect, test } from 'vitest'
import { processParts, readConfig } from './config.ts'

test('every setting has a default', () => {
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

describe('registration', () => {
  const isOpen = (env: Record<string, string>) => readConfig(env).identity.registration

  test.each(['127.0.0.1', '::1', 'localhost', '127.0.0.2'])(
    'is open when the server listens on %s',
    (host) => {
      expect(isOpen({ RETICLE_HOST: host })).toBe(true)
      expect(isOpen({ RETICLE_HOST: host, RETICLE_PROJECTS_REGISTRATION: 'false' })).toBe(false)
    },
  )

  test.each(['0.0.0.0', '::', '192.168.1.7', 'label.example.org'])(
    'is closed on %j unless the setting opens it',
    (host) => {
      expect(isOpen({ RETICLE_HOST: host })).toBe(false)
      expect(isOpen({ RETICLE_HOST: host, RETICLE_PROJECTS_REGISTRATION: 'true' })).toBe(true)
    },
  )

  test('is closed in a separate process, which does not know where the gateway listens', () => {
    const isOpenApart = (env: Record<string, string>) =>
      processParts.settings(env).identity.registration
    expect(isOpenApart({ RETICLE_HOST: '127.0.0.1' })).toBe(false)
    expect(isOpenApart({ RETICLE_PROJECTS_REGISTRATION: 'true' })).toBe(true)
  })
})

test('the page URL is the public URL unless it is set', () => {
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

describe('mail settings', () => {
  const mailOf = (RETICLE_PROJECTS_SMTP_URL: string, more: Record<string, string> = {}) =>
    readConfig({ RETICLE_PROJECTS_SMTP_URL, ...more }).mail

  test('are absent until a server is set', () => {
    expect(readConfig({}).mail).toBeUndefined()
    expect(readConfig({ RETICLE_PROJECTS_MAIL_FROM: 'a@example.org' }).mail).toBeUndefined()
  })

  test.each([
    ['smtp://mail.example.org', { host: 'mail.example.org', port: 587, secure: false }],
    ['smtp://mail.example.org:25', { port: 25, requireTLS: false }],
    ['smtps://mail.example.org', { port: 465, secure: true }],
    ['smtp://[::1]:2525', { host: '::1', port: 2525 }],
    ['smtp://mail.example.org?tls=required', { requireTLS: true }],
    ['smtp://a%40b:c%3Ad@mail.example.org', { auth: { user: 'a@b', pass: 'c:d' } }],
    ['smtp://u:100%@mail.example.org', { auth: { user: 'u', pass: '100%' } }],
    ['smtp://u:p@mail.example.org', { requireTLS: true }],
    ['smtp://u:p@mail.example.org?tls=offered', { requireTLS: false }],
    ['smtp://u:p@localhost', { requireTLS: false }],
  ])('%s sets the server', (url, server) => {
    expect(mailOf(url)?.server).toMatchObject(server)
    if (!('auth' in server) && !url.includes('u:p'))
      expect(mailOf(url)?.server.auth).toBeUndefined()
  })

  test.each([
    ['', 'https://label.example.org', { name: 'Reticle', address: 'no-reply@label.example.org' }],
    ['a@example.org', '', { name: '', address: 'a@example.org' }],
    ['The Team <a@example.org>', '', { name: 'The Team', address: 'a@example.org' }],
  ])('sender %j with public URL %j', (from, publicUrl, sender) => {
    const env = { RETICLE_PROJECTS_MAIL_FROM: from, RETICLE_PUBLIC_URL: publicUrl }
    expect(mailOf('smtp://mail.example.org', env)?.from).toEqual(sender)
  })

  test.each([
    ['RETICLE_PROJECTS_SMTP_URL', 'mail.example.org'],
    ['RETICLE_PROJECTS_SMTP_URL', 'https://u:hunter2@mail.example.org'],
    ['RETICLE_PROJECTS_SMTP_URL', 'smtp://u:hunter2@'],
    ['RETICLE_PROJECTS_SMTP_URL', 'smtp://u:hunter2@mail.example.org?tls=never'],
    ['RETICLE_PROJECTS_SMTP_URL', 'smtp://u:hunter2@mail.example.org?pool=true'],
    ['RETICLE_PROJECTS_MAIL_FROM', 'nobody'],
    ['RETICLE_PROJECTS_MAIL_FROM', 'A <a@b.org>, B <b@b.org>'],
    ['RETICLE_PROJECTS_MAIL_FROM', 'A\r\nBcc: b@b.org <a@b.org>'],
  ])('%s cannot be %j; the error contains no password', (name, value) => {
    const attempt = () => readConfig({ [name]: value })
    expect(attempt).toThrowError(name)
    expect(attempt).not.toThrowError(/hunter2/)
  })
})

test('registered users can have no role by default', () => {
  const env = { RETICLE_PROJECTS_DEFAULT_ROLE: 'none' }
  expect(readConfig(env).identity.defaultRole).toBeNull()
})

test('all invalid settings are reported at once', () => {
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
