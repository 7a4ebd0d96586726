import { describe, expect, test } from 'vitest'
import { executablePath, visitsOf } from '../../support/browser.ts'
import { createUserFactory, password as peoplePassword } from '../../support/people.ts'
import { useOwnServer } from '../../support/test-server.ts'

describe.skipIf(!executablePath)('organizations and users in the console', () => {
  const reticle = useOwnServer({ RETICLE_PROJECTS_INVITATION_CONFIRM: 'yes' })
  const visit = visitsOf(reticle)
  const { newPerson, newOrganization, invite } = createUserFactory(() => reticle)

  const visitAs = (username: string, options = {}) =>
    visit({ as: { username, password: peoplePassword }, ...options })

  test('an organization is created, renamed, and renamed back', async () => {
    const { username } = await newPerson()
    const { page, look, complaints, close } = await visitAs(username)
    await page.goto('/people')
    await page.getByText('There is no organization here').waitFor()
    await look('people-empty')

    await page.getByRole('button', { name: 'New organization' }).click()
    await page.getByLabel('Short name').fill('acme')
    await page.getByLabel('Name', { exact: true }).fill('<img src=x onerror=alert(1)>')
    await look('people-new-organization')
    await page.getByRole('button', { name: 'Create the organization' }).click()
    await page.getByRole('heading', { name: '<img src=x onerror=alert(1)>' }).waitFor()
    expect(await page.locator('main img').count()).toBe(0)
    await look('people-organization')

    await page.getByRole('button', { name: 'Edit' }).click()
    await page.getByLabel('Name', { exact: true }).fill('Acme Vision')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { name: 'Acme Vision' }).waitFor()
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByRole('heading', { name: '<img src=x onerror=alert(1)>' }).waitFor()
    expect(complaints).toEqual([])
    await close()
  })

  test('a user is invited by a link, accepts it, and gets the role that the owner sets', async () => {
    const { slug, owner, id } = await newOrganization()
    const guest = await newPerson()
    const { page, look, complaints, close } = await visitAs(owner.username)
    await page.goto(`/people/organizations/${id}/invitations`)
    await page.getByText('There are no invitations here').waitFor()
    await page.getByRole('button', { name: 'Invite a user' }).click()
    await page.getByLabel('E-mail').fill(guest.email)
    await page.getByLabel('Role').selectOption('supervisor')
    await look('people-invite')
    await page.getByRole('button', { name: 'Invite', exact: true }).click()
    const link = await page.getByLabel('Invitation link').inputValue()
    await look('people-invitation')
    await page.getByRole('button', { name: 'Send again' }).click()
    await page.getByText('The invitation was sent again').waitFor()
    await look('people-invitations')

    const other = await visitAs(guest.username)
    await other.page.goto('/people')
    await other.page.getByText('invites you to join').waitFor()
    await other.look('people-invited')
    await other.page.goto(link)
    await other.page.getByText('invites you to join').waitFor()
    await other.look('invitation')
    await other.page.getByRole('button', { name: 'Accept' }).click()
    await other.page.waitForURL('**/projects')
    expect(await other.page.getByLabel('Workspace').inputValue()).toBe(slug)
    expect(other.complaints).toEqual([])
    await other.close()

    await page.goto(`/people/organizations/${id}`)
    await page.getByLabel(`Role of ${guest.username}`).selectOption('maintainer')
    await page.getByText(`${guest.username} is maintainer now.`).waitFor()
    await look('people-members')
    await page.getByRole('button', { name: 'Undo' }).click()
    const role = () => page.getByLabel(`Role of ${guest.username}`).inputValue()
    await expect.poll(role).toBe('supervisor')
    expect(complaints).toEqual([])
    await close()
  })

  test('removing a member, and transferring, leaving and deleting an organization need the typed name', async () => {
    const organization = await newOrganization()
    const { slug, owner, id } = organization
    const members = [await newPerson(), await newPerson()] as const
    for (const { email, api } of members) {
      const { key } = (await invite(owner.api, slug, email)).body
      await api.done('POST', `/invitations/${key}/accept`)
    }
    const [leaving, heir] = members
    const { page, look, complaints, close } = await visitAs(owner.username)
    await page.goto(`/people/organizations/${id}`)
    await page.getByRole('button', { name: `Remove ${leaving.username}` }).click()
    await page.getByLabel('Unassign the projects').check()
    await page.getByLabel(/^Type/).fill(leaving.username)
    await look('people-remove')
    await page.getByRole('button', { name: 'Remove the member' }).click()
    await page
      .getByRole('cell', { name: leaving.username, exact: true })
      .waitFor({ state: 'detached' })

    await page.getByRole('button', { name: 'Transfer' }).click()
    await page.getByLabel('New owner').selectOption(heir.username)
    await page.getByLabel(/^Type/).fill(slug)
    await look('people-transfer')
    await page.getByRole('button', { name: 'Transfer the organization' }).click()
    await page.getByText(`owned by ${heir.username}`).waitFor()

    await page.getByRole('button', { name: 'Leave' }).click()
    await page.getByLabel(/^Type/).fill(slug)
    await page.getByRole('button', { name: 'Leave the organization' }).click()
    await page.getByText('There is no organization here').waitFor()
    expect(complaints).toEqual([])
    await close()

    const last = await visitAs(heir.username, { width: 360, colorScheme: 'dark' })
    await last.page.goto(`/people/organizations/${id}`)
    await last.page.getByText(`owned by ${heir.username}`).waitFor()
    await last.look('people-members-narrow-dark')
    await last.page.getByRole('button', { name: 'Delete' }).click()
    await last.page.getByLabel(/^Type/).fill(slug)
    await last.look('people-delete')
    await last.page.getByRole('button', { name: 'Delete the organization' }).click()
    await last.page.getByText('There is no organization here').waitFor()
    expect(last.complaints).toEqual([])
    await last.close()
  })

  test('an administrator creates an account for another user', async () => {
    const { page, look, complaints, close } = await visit()
    await page.goto('/people/users')
    await page.getByRole('button', { name: 'New account' }).click()
    await page.getByLabel('Username').fill('clara')
    await page.getByLabel('E-mail').fill('clara@example.org')
    await page.getByLabel('New password').fill(peoplePassword)
    await page.getByLabel('Repeat the password').fill(peoplePassword)
    await look('users-new')
    await page.getByRole('button', { name: 'Create the account' }).click()
    await page.getByText('clara can sign in with that password.').waitFor()
    await page.getByRole('cell', { name: 'clara', exact: true }).waitFor()
    expect(complaints).toEqual([])
    await close()
    await (await visitAs('clara')).close()
  })

  test('an administrator finds an account, changes its group and deactivates it', async () => {
    const { username } = await newPerson()
    const { page, look, complaints, close } = await visit()
    await page.goto('/people')
    await page.getByRole('link', { name: 'Users' }).click()
    await page.getByLabel('Search users').fill(username)
    await page.getByText('1 in all').waitFor()
    await page.getByLabel(`Group of ${username}`).selectOption('worker')
    await page.getByText(`${username} is worker now.`).waitFor()
    await page.getByLabel(`${username} is active`).click()
    await page.getByText(`${username} is switched off.`).waitFor()
    await look('users')
    const shown = () => reticle.admin.done('GET', `/users?username=${username}`)
    expect((await shown()).results[0]).toMatchObject({ groups: ['worker'], is_active: false })
    await page.getByRole('button', { name: 'Undo' }).last().click()
    await expect.poll(async () => (await shown()).results[0].is_active).toBe(true)
    expect(complaints).toEqual([])
    await close()
  })
})
