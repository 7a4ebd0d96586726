import { systemClock } from '@reticle/kit/clock'
import { createLog } from '@reticle/kit/log'
import { beforeEach, describe, expect, test } from 'vitest'
import { readConfig } from '../../config.ts'
import type { Mail, Mailer } from '../../identity/index.ts'
import { handlers } from '../../server.ts'
import { testBlobs } from '../../testing/blobs.ts'
import { inviting } from '../../testing/invitations.ts'
import { testOrganizations } from '../../testing/organizations.ts'

/** Mails of invitations: `spec/api-workspace.md` 3.3. */

const workspace = await testOrganizations()
const { db, addOrganization, as } = workspace
const blobs = await testBlobs()
const { newAddress, addRegistered, expire } = inviting(workspace)

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

test('whoever has no account is told where to go and that they register first', async () => {
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
  expect(lines).toEqual([]) // the key is nobody else's
})

test('whoever has an account is told by mail where they are asked, and by what name they sign in', async () => {
  const { email, username } = await addRegistered()
  await invited(email, serving(box, { ...asking, RETICLE_PROJECTS_INVITATION_EXPIRY_DAYS: '1' }))
  expect(mails).toMatchObject([{ to: email }])
  expect(mails[0]?.text).toContain(`sign in there as ${username}`)
  expect(mails[0]?.text).toContain('within a day at')
})

test('whoever is a member at once is told nothing', async () => {
  await invited((await addRegistered()).email)
  expect([mails, lines]).toEqual([[], []])
})

test('an invitation that is sent again is the same mail once more, also after it expired', async () => {
  const { organizations } = serving(box)
  const { key, call } = await invited(newAddress())
  await expire(key)
  await organizations.resendInvitation({ key }, call)
  expect(mails).toHaveLength(2)
  expect(mails[1]).toEqual(mails[0])
})

test('what is refused is mailed to nobody', async () => {
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

describe('a server of mails that', () => {
  test('refuses them changes nothing about the invitation, and is told to whom it concerns', async () => {
    const refused = new Error('away')
    const services = serving({ send: () => Promise.reject(refused) })
    const { key, call } = await invited(newAddress(), services)
    await expect.poll(() => lost).toEqual([refused])
    const { organizations } = services
    expect(await organizations.getInvitation({ key }, call)).toMatchObject({ expired: false })
  })

  test('never answers holds nobody up', async () => {
    const services = serving({ send: () => new Promise(() => undefined) })
    const { key, call } = await invited(newAddress(), services)
    await services.organizations.resendInvitation({ key }, call)
    expect(lost).toEqual([])
  })
})

test('who registers with that address accepts the invitation by its key', async () => {
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
