import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { executablePath, visitsOf } from '../../support/browser.ts'
import { createApiClient } from '../../support/client.ts'
import { useOwnServer } from '../../support/test-server.ts'

const password = 'Blue-Kettle-42'
const fresh = 'Red-Kettle-43'

describe.skipIf(!executablePath)('pages of the account, access tokens and the server', () => {
  const reticle = useOwnServer()
  const visit = visitsOf(reticle)

  test('a user registers, changes name and password, and recovers a forgotten password by e-mail', async () => {
    const { page, look, complaints, close } = await visit({ as: null })
    await page.goto('/account')
    await page.getByRole('link', { name: 'Register' }).click()
    await page.getByLabel('Username').fill('newcomer')
    await page.getByLabel('E-mail').fill('newcomer@example.org')
    await page.getByLabel('New password').fill(password)
    await page.getByLabel('Repeat the password').fill(password)
    await look('register')
    await page.getByRole('button', { name: 'Create the account' }).click()
    await page.getByRole('heading', { name: 'Account', exact: true }).waitFor()

    await page.getByLabel('First name').fill('New')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved.').waitFor()
    await page.getByLabel('Current password').fill(password)
    await page.getByLabel('New password').fill(fresh)
    await page.getByLabel('Repeat the password').fill(fresh)
    await look('account')
    await page.getByRole('button', { name: 'Change the password' }).click()
    await page.getByText('All your other sessions are signed out').waitFor()
    await page.getByText('newcomer').first().click()
    await page.getByRole('button', { name: 'Sign out' }).click()

    await page.getByRole('link', { name: 'Forgotten password' }).click()
    await page.getByLabel('E-mail').fill('newcomer@example.org')
    await look('password-reset')
    await page.getByRole('button', { name: 'Send the mail' }).click()
    await page.getByText('an administrator hands it over').waitFor()
    await page.goto(await linkOfMail())
    await page.getByLabel('New password').fill(password)
    await page.getByLabel('Repeat the password').fill(password)
    await look('password-reset-confirm')
    await page.getByRole('button', { name: 'Set the password' }).click()
    await page.getByText('The password was changed').waitFor()
    const again = createApiClient(`${reticle.url}/api`)
    const login = { username: 'newcomer', password }
    expect((await again.call('POST', '/auth/login', { json: login })).status).toBe(200)
    expect(complaints.filter((text) => !text.includes('401'))).toEqual([])
    await close()
  })

  /** A single process writes mails to files next to its data, after the call has returned. */
  async function linkOfMail(): Promise<string> {
    const folder = join(reticle.path, 'mail')
    const find = () => {
      const name = readdirSync(folder).find((one) => one.endsWith('.eml'))
      const text = name ? readFileSync(join(folder, name), 'utf8').replaceAll('=\r\n', '') : ''
      return (
        /\/auth\/password\/reset\/confirm\?uid=\S+/.exec(text.replaceAll('=3D', '='))?.[0] ?? ''
      )
    }
    await expect.poll(find, { timeout: 60_000 }).not.toBe('')
    return find()
  }

  test.each([
    ['/auth/email-confirmation', 'E-mail confirmed'],
    ['/auth/incorrect-email-confirmation', 'E-mail not confirmed'],
    ['/auth/password/reset/confirm', 'New password'],
  ])('the page %s is open without signing in', async (path, title) => {
    const { page, look, complaints, close } = await visit({ as: null })
    await page.goto(path)
    await page.getByRole('heading', { name: title }).waitFor()
    await look(path.slice(6).replaceAll('/', '-'))
    expect(complaints).toEqual([])
    await close()
  })

  test('a token is shown once, works, and is revoked after typing its name', async () => {
    const { page, look, complaints, close } = await visit()
    await page.goto('/tokens')
    await page.getByText('There is no token here').waitFor()
    await look('tokens-empty')
    await page.getByRole('button', { name: 'New token' }).click()
    await page.getByLabel('Name').fill('nightly export')
    await page.getByLabel('Last day').fill('2099-12-31')
    await look('token-new')
    await page.getByRole('button', { name: 'Create the token' }).click()
    const value = await page.getByLabel('Token', { exact: true }).inputValue()
    await page.getByRole('button', { name: 'Copy' }).click()
    await page.getByText(/^(Copied|Selected)/).waitFor()
    await look('token-shown')
    await page.getByRole('button', { name: 'Done' }).click()
    const program = createApiClient(`${reticle.url}/api`, `Token ${value}`)
    expect((await program.done('GET', '/users/self')).username).toBe('admin')

    await page.getByText('2099-12-31').waitFor()
    expect(await page.content()).not.toContain(value)
    await look('tokens')
    await page.getByRole('button', { name: 'Revoke nightly export' }).click()
    await page.getByLabel(/^Type/).fill('nightly export')
    await look('token-revoke')
    await page.getByRole('button', { name: 'Revoke the token' }).click()
    await page.getByText('There is no token here').waitFor()
    await expect.poll(async () => (await program.call('GET', '/users/self')).status).toBe(401)
    expect(complaints).toEqual([])
    await close()
  })

  test('the server page shows health to administrators and limits to everyone', async () => {
    const { page, look, complaints, close } = await visit()
    await page.goto('/server')
    const health = page.getByRole('table', { name: 'Health' })
    await health.getByText('works').first().waitFor()
    expect(await health.getByText(/^\d+ ms$/).count()).toBeGreaterThan(0)
    await page.getByRole('table', { name: 'Formats' }).getByText('COCO 1.0').waitFor()
    await page.getByRole('table', { name: 'Limits' }).waitFor()
    const licences = page.getByRole('link', { name: 'Licences of the console' })
    const text = await page.request.get(String(await licences.getAttribute('href')))
    expect([text.status(), await text.text()]).toEqual([200, expect.stringContaining('react-dom')])
    await look('server')
    expect(complaints).toEqual([])
    await close()

    const newcomer = { username: 'newcomer', password }
    const options = { as: newcomer, width: 360, colorScheme: 'dark' } as const
    const narrow = await visit(options)
    await narrow.page.goto('/server')
    await narrow.page.getByText('works', { exact: true }).first().waitFor()
    await narrow.page.getByRole('table', { name: 'Formats' }).getByText('COCO 1.0').waitFor()
    expect(await narrow.page.getByText(/^\d+ ms$/).count()).toBe(0)
    await narrow.look('server-narrow-dark')
    await narrow.page.goto('/account')
    await narrow.page.getByLabel('First name').waitFor()
    await narrow.look('account-narrow-dark')
    expect(narrow.complaints).toEqual([])
    await narrow.close()
  })
})
