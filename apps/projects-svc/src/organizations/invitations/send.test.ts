import { createLog } from '@reticle/kit/observe/log'
import { systemClock } from '@reticle/kit/scheduling/clock'
import { beforeEach, describe, expect, test } from 'vitest'
import { readConfig } from '../../config.ts'
import type { Mail, Mailer } from '../../identity/index.ts'
import { handlers } from '../../server.ts'
import { createInviter } from '../../testing/invitations.ts'
import { testOrganizations } from '../../testing/organizations.ts'
import { testBlobs } from '../../testing/workspace.ts'

/** Mails of invitations. */

const workspace = await testOrganizations()
const { db, addOrganization, as } = workspace
const blobs = await testBlobs()
const { newAddress, addRegistered, expire } = createInviter(workspace)

const mails: Mail[] = []
const lines: string[] = []
const lost: unknown[] = []
beforeEach(() => {
  for (const list of [mails, lines, lost]) list.splice(0)
})
const to = { write: (line: string) => lines.push(line) }
const log = createLog('test', { level: 'info', format: 'json' }, to)
const box: Mailer = {
  async send(mail) {
    mails.push(mail)
  },
}

function serving(mailer: Mailer, env: Record<string, string> = {}) {
  const settings = readConfig({ RETICLE_UI_URL: 'https://label.example.org/', ...env })
  const onMailLost = (thrown: unknown) => lost.push(thrown)
  return handlers({ db, blobs, clock: systemClock, settings, log, mailer, onMailLost })
}
const asking = { RETICLE_PROJECTS_INVITATION_CONFIRM: 'yes' }

async function invited(email: string, { organizations } = serving(box)) {
  const organization = await addOrganization()
  const call = await as(organization.owner, organization.id)
  const body = { email, role: 'supervisor' as const }
  const invitation = await organizations.createInvitation({ body }, call)
  return { organization, call, invitation, key: invitation.key }
}

test('the mail to a person without an account contains the link and asks to register first', async () => {
  const email = `New.${newAddress()}`
  const { organization, key } = await invited(email)
  const { slug, owner } = organization
  expect(mails).toEqual([
    {
      to: email.toLowerCase(),
      subject: `Invitation into the organization ${slug}`,
      text: expect.stringContaining(`https://label.example.org/invitations/${key}\n`),
    },
  ])
  const [{ text } = { text: '' }] = mails
  for (const words of [owner.username, `"${slug}"`, 'supervisor', '7 days', 'register with this'])
    expect(text).toContain(words)
  expect(lines).toEqual([]) // the key must not be logged
})

test('the mail to a user with an account names the organization and the user name to sign in with', async () => {
  const { email, username } = await addRegistered()
  await invited(email, serving(box, { ...asking, RETICLE_PROJECTS_INVITATION_EXPIRY_DAYS: '1' }))
  expect(mails).toMatchObject([{ to: email }])
  expect(mails[0]?.text).toContain(`sign in there as ${username}`)
  expect(mails[0]?.text).toContain('within a day at')
})

test('a user who becomes a member at once gets no mail', async () => {
  await invited((await addRegistered()).email)
  expect([mails, lines]).toEqual([[], []])
})

test('resending sends the same mail again, even after expiry', async () => {
  const { organizations } = serving(box)
  const { key, call } = await invited(newAddress())
  await expire(key)
  await organizations.resendInvitation({ key }, call)
  expect(mails).toHaveLength(2)
  expect(mails[1]).toEqual(mails[0])
})

test('a rejected invitation sends no mail', async () => {
  const { organizations } = serving(box)
  const { organization, call } = await invited(newAddress())
  mails.splice(0)
  const attempts = [
    () => organizations.createInvitation({ body: { email: 'x', role: 'owner' } }, call),
    async () => {
      const body = { email: newAddress(), role: 'worker' as const }
      const stranger = await workspace.addUser()
      return organizations.createInvitation({ body }, await as(stranger, organization.id))
    },
  ]
  for (const attempt of attempts) await expect(attempt()).rejects.toThrow()
  expect(mails).toEqual([])
})

describe('a mail server that', () => {
  test('refuses mails does not affect the invitation, and the failure is reported', async () => {
    const refused = new Error('away')
    const services = serving({ send: () => Promise.reject(refused) })
    const { key, call } = await invited(newAddress(), services)
    await expect.poll(() => lost).toEqual([refused])
    const { organizations } = services
    expect(await organizations.getInvitation({ key }, call)).toMatchObject({ expired: false })
  })

  test('does not respond blocks no call', async () => {
    const services = serving({ send: () => new Promise(() => undefined) })
    const { key, call } = await invited(newAddress(), services)
    await services.organizations.resendInvitation({ key }, call)
    expect(lost).toEqual([])
  })
})

test('a user who registers with the invited address accepts by the key', async () => {
  const { identity, organizations } = serving(box)
  const email = newAddress()
  const { key, organization } = await invited(email)
  const password = 'Blue-Kettle-42'
  const body = { username: 'invitee', email, password1: password, password2: password }
  const registered = await identity.register(
    { body },
    { ...organization.owner.call, principal: null },
  )
  const authorization = `Token ${registered.key}`
  const { principal } = await identity.authenticate(
    { authorization, address: '' },
    organization.owner.call,
  )
  const call = { ...organization.owner.call, principal }
  expect((await organizations.listInvitations({}, call)).results).toEqual([])
  expect(await organizations.acceptInvitation({ key }, call)).toEqual({
    organization_slug: organization.slug,
  })
})
