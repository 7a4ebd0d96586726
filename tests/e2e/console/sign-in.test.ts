import { describe, expect, test } from 'vitest'
import { executablePath, visitsOf } from '../../support/browser.ts'
import { createUserFactory, password as peoplePassword } from '../../support/people.ts'
import { password } from '../../support/reticle.ts'
import { useOwnServer } from '../../support/test-server.ts'

describe.skipIf(!executablePath)('signing in to the console', () => {
  const reticle = useOwnServer()
  const visit = visitsOf(reticle)
  const { newPerson, newOrganization, newMember } = createUserFactory(() => reticle)

  test('the page asks for credentials and then shows the requested address', async () => {
    const { page, look, complaints, close } = await visit({ as: null })
    await page.goto('/projects')
    await page.getByLabel('Username').fill('admin')
    await page.getByLabel('Password').fill('wrong')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('alert').waitFor()
    await look('sign-in')

    await page.getByLabel('Password').fill(password)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText('There is no project here').waitFor()
    await look('projects-empty')
    // the browser itself logs refused calls: the first read of the user, and the wrong password
    expect(complaints.filter((text) => !text.includes('40'))).toEqual([])

    await page.getByText('admin').click()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByLabel('Username').waitFor()
    await close()
  })

  test('the next user of a browser sees nothing of the user whose session ended', async () => {
    const next = await newPerson()
    await reticle.admin.done('POST', '/projects', { json: { name: 'of the administrator' } })
    const { page, context, close } = await visit()
    await page.goto('/projects')
    await page.getByRole('link', { name: 'of the administrator' }).waitFor()
    await context.clearCookies()
    await page.getByRole('link', { name: 'Tasks', exact: true }).click()

    await page.route('**/api/projects?*', () => undefined) // without an answer the page would show cached data
    await page.getByLabel('Username').fill(next.username)
    await page.getByLabel('Password').fill(peoplePassword)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText('There is no task here').waitFor()
    await page.getByRole('link', { name: 'Projects', exact: true }).click()
    await page.getByText('Loading').waitFor()
    expect(await page.getByText('of the administrator').count()).toBe(0)
    await close()
  })

  test('a user who may create nothing in a workspace sees no create buttons, and others do', async () => {
    const organization = await newOrganization()
    for (const [role, count] of [
      ['worker', 0],
      ['supervisor', 1],
    ] as const) {
      const { username } = await newMember(organization, role)
      const { page, complaints, close } = await visit({
        as: { username, password: peoplePassword },
      })
      await page.goto(`/projects?org=${organization.slug}`)
      await page.getByText('There is no project here').waitFor()
      await page.waitForLoadState('networkidle')
      expect(await page.getByRole('link', { name: 'New project' }).count()).toBe(count)
      expect(await page.getByRole('link', { name: 'Create a project' }).count()).toBe(count)
      await page.goto(`/tasks?org=${organization.slug}`)
      await page.getByText('There is no task here').waitFor()
      await page.waitForLoadState('networkidle')
      expect(await page.getByRole('link', { name: 'New task' }).count()).toBe(count)
      expect(complaints).toEqual([])
      await close()
    }
  })

  test('the location of the first password is shown only on the local machine', async () => {
    const { page, close } = await visit({ as: null })
    await page.goto('/projects')
    await page.getByText('.reticle/admin-password').waitFor()
    await page.goto(`${reticle.url.replace('127.0.0.1', 'server.localhost')}/projects`)
    await page.getByLabel('Password').waitFor()
    expect(await page.getByText('.reticle/admin-password').count()).toBe(0)
    await close()
  })
})
